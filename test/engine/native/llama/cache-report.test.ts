import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeModel } from '../../../../src/catalogue/describe.ts';
import type { ModelShape } from '../../../../src/engine/engine.ts';
import { earlierStates, estimateMemory } from '../../../../src/engine/memory-estimate.ts';
import { openContext } from '../../../../src/engine/native/llama/context.ts';
import { registerLog } from '../../../../src/engine/native/llama/library/bindings.ts';
import { readGgufHeader } from '../../../../src/gguf/header.ts';
import { withOpenFile } from '../../../../src/gguf/node/open-file.ts';
import { writeLatentModel, writeRecurrentModel } from '../../../kit/models/cache-models.ts';
import { writeHybridModel, writeWindowModel } from '../../../kit/models/forgetful-model.ts';
import { writeMtpModel } from '../../../kit/models/mtp-model.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

const MIB = 2 ** 20;
const SLOTS = 4;
const CONTEXT = 8192;
const BATCH = 64;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-caches-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes a context, and one of the MTP layer, and returns the sizes of their caches together as llama.cpp's log tells them, in MiB. */
async function reportedCache(path: string, mtp = false): Promise<number> {
  const model = await openNativeModel(path, { load_mtp: mtp });
  const sizes: number[] = [];
  const take = (_: number, line: string) => {
    const size = /: size = +([\d.]+) MiB .* cells/.exec(line)?.[1];
    if (size !== undefined) sizes.push(Number(size));
  };
  model.library.llama.llama_log_set(registerLog(take), null);
  const states = earlierStates(await shapeOf(path), SLOTS);
  const sizesOfContext = { contextLength: CONTEXT, sequences: SLOTS, batchSize: BATCH, threads: 1 };
  const context = await openContext(model, { ...sizesOfContext, states });
  const ofMtp = mtp ? await openContext(model, { ...sizesOfContext, guesses: 'mtp' }) : null;
  await ofMtp?.[Symbol.asyncDispose]();
  await context?.[Symbol.asyncDispose]();
  await model.close();
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function shapeOf(path: string): Promise<ModelShape> {
  const { size } = await stat(path);
  const header = await withOpenFile({ path, size }, readGgufHeader);
  const file = { path, name: 'a.gguf', folder: '', size, modified: 0, stamp: '' };
  return describeModel('a', [{ file, header }], { projector: null, draft: null, adapters: [] }, {}).source.shape;
}

async function estimatedCache(path: string): Promise<number> {
  const plan = { backend: 'cpu', kind: 'chat', contextLength: CONTEXT, threads: 1, batchSize: BATCH } as const;
  return estimateMemory(await shapeOf(path), { ...plan, slots: SLOTS }).cache / MIB;
}

describe("the estimate of a context's caches is what llama.cpp allocates", () => {
  it('where all layers attend to all tokens', async () => {
    expect(await estimatedCache('models/pico/pico.gguf')).toBeCloseTo(await reportedCache('models/pico/pico.gguf'), 1);
  });

  it('where a layer has a sliding window', async () => {
    const path = join(folder, 'window.gguf');
    writeWindowModel(path);
    expect(await estimatedCache(path)).toBeCloseTo(await reportedCache(path), 1);
  });

  it('where an MTP layer has a context of its own', async () => {
    const path = join(folder, 'mtp.gguf');
    writeMtpModel(path, { layers: 2 });
    expect(await reportedCache(path, true)).toBeGreaterThan(await reportedCache(path));
    expect(await estimatedCache(path)).toBeCloseTo(await reportedCache(path, true), 1);
  });

  it('where the keys of all heads are one latent vector', async () => {
    const path = join(folder, 'latent.gguf');
    writeLatentModel(path);
    const reported = await reportedCache(path);
    expect(reported).toBeGreaterThan(0);
    expect(await estimatedCache(path)).toBeCloseTo(reported, 1);
  });

  it('where each layer has a recurrent state and none attends', async () => {
    const path = join(folder, 'recurrent.gguf');
    writeRecurrentModel(path);
    const reported = await reportedCache(path);
    expect(reported).toBeGreaterThan(0);
    expect(await estimatedCache(path)).toBeCloseTo(reported, 2);
  });

  it('where a layer has a recurrent state, and earlier states of it', async () => {
    const path = join(folder, 'hybrid.gguf');
    writeHybridModel(path);
    expect(earlierStates(await shapeOf(path), SLOTS)).toBeGreaterThan(0);
    expect(await estimatedCache(path)).toBeCloseTo(await reportedCache(path), 1);
  });
});
