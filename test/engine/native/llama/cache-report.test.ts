import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeModel } from '../../../../src/catalogue/describe.ts';
import type { GgufFile } from '../../../../src/catalogue/found-file.ts';
import type { ModelShape } from '../../../../src/engine/engine.ts';
import { earlierStates, estimateMemory } from '../../../../src/engine/memory-estimate.ts';
import type { ContextOptions } from '../../../../src/engine/native/llama/context/params.ts';
import { openContext } from '../../../../src/engine/native/llama/context.ts';
import { registerLog } from '../../../../src/engine/native/llama/library/bindings.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';
import { readGgufHeader } from '../../../../src/gguf/header.ts';
import { withOpenFile } from '../../../../src/gguf/node/open-file.ts';
import { writeLatentModel, writeRecurrentModel } from '../../../kit/models/cache-models.ts';
import { writeEagle3Draft, writeEagle3Target } from '../../../kit/models/draft-heads/eagle3-model.ts';
import { writeMtpModel } from '../../../kit/models/draft-heads/mtp-model.ts';
import { writeHybridModel, writeWindowModel } from '../../../kit/models/forgetful-model.ts';
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

/**
 * Makes a context, and one of the MTP layer, or those that an EAGLE-3 draft model needs, and returns the sizes of their caches together
 * as llama.cpp's log tells them, in MiB.
 */
async function reportedCache(path: string, mtp = false, draftPath = ''): Promise<number> {
  const model = await openNativeModel(path, { load_mtp: mtp });
  const draft = draftPath === '' ? undefined : await openNativeModel(draftPath);
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
  if (draft) await makeDraftContexts(model, draft, sizesOfContext);
  await context?.[Symbol.asyncDispose]();
  await model.close();
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function makeDraftContexts(
  model: LlamaModel,
  draft: LlamaModel,
  sizes: Pick<ContextOptions, 'contextLength' | 'sequences' | 'batchSize' | 'threads'>,
): Promise<void> {
  const lender = await openContext(model, { ...sizes, contextLength: 1, sequences: 1 });
  const context = lender && (await openContext(draft, { ...sizes, guesses: 'eagle3', target: lender.handle }));
  await context?.[Symbol.asyncDispose]();
  await lender?.[Symbol.asyncDispose]();
  await draft.close();
}

async function readGguf(path: string): Promise<GgufFile> {
  const { size } = await stat(path);
  const header = await withOpenFile({ path, size }, readGgufHeader);
  return { file: { path, name: 'a.gguf', folder: '', size, modified: 0, stamp: '' }, header };
}

async function shapeOf(path: string, draftPath = ''): Promise<ModelShape> {
  const draft = draftPath === '' ? null : await readGguf(draftPath);
  return describeModel('a', [await readGguf(path)], { projector: null, draft, adapters: [] }, {}).source.shape;
}

async function estimatedCache(path: string, draftPath = ''): Promise<number> {
  const plan = { backend: 'cpu', kind: 'chat', contextLength: CONTEXT, threads: 1, batchSize: BATCH } as const;
  return estimateMemory(await shapeOf(path, draftPath), { ...plan, slots: SLOTS }).cache / MIB;
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

  it('where an EAGLE-3 draft model has a context of its own, and one of its target', async () => {
    const [path, draftPath] = [join(folder, 'target.gguf'), join(folder, 'draft.gguf')];
    writeEagle3Target(path);
    writeEagle3Draft(draftPath, { lacks: 'token_embd.weight' });
    const reported = await reportedCache(path, false, draftPath);
    expect(reported).toBeGreaterThan(await reportedCache(path));
    expect(await estimatedCache(path, draftPath)).toBeCloseTo(reported, 1);
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
