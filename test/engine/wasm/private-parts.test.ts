import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Wllama, type WorkerProxy } from '@wllama/wllama/esm/index.js';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
// The built files are used, because the inner workers load scripts of the build.
import { installWebGlobals } from '../../../dist/src/engine/wasm/node/globals.js';
import { toLocalUrl } from '../../../dist/src/engine/wasm/node/local-url.js';
import type { Chunk } from '../../../src/engine/wasm/chunks.ts';
import { loadParams } from '../../../src/engine/wasm/load-params.ts';
import { compileRuntime } from '../../../src/engine/wasm/node/runtime.ts';
import { complete, computeWith } from '../../../src/engine/wasm/private-wllama.ts';
import { silentLog } from '../../kit/log.ts';

// These tests cover what Paddock uses of wllama although it is not promised. A test that fails here after an upgrade
// names the part that has changed; docs/upgrading-engines.md tells what the part is for.

const PLAN = { kind: 'chat', contextLength: 512, threads: 1, batchSize: 8, gpuLayers: 0 } as const;
/** What a projector for audio needs: llama.cpp starts three threads in addition to those that compute. */
const NEEDS = { passSize: 0, helpers: 3 };

let model: Blob;
const started: Wllama[] = [];

beforeAll(async () => {
  installWebGlobals();
  // Threads start several times faster once this process has compiled the build.
  await compileRuntime();
  model = await openAsBlob(join(inject('modelsFolder'), 'tiny.gguf'));
});
afterAll(async () => {
  for (const wllama of started) await wllama.exit();
});

async function newWllama(): Promise<Wllama> {
  const { resolve } = createRequire(import.meta.url);
  const logger = { ...silentLog, log: () => {} };
  const wasm = toLocalUrl(resolve('@wllama/wllama/esm/wasm/wllama.wasm'));
  const wllama = new Wllama({ default: wasm }, { logger, cacheManager: {}, modelManager: {} });
  wllama.setCompat({
    worker: { code: await readFile(resolve('@wllama/wllama-compat/wasm/wllama.js'), 'utf8') },
    wasm: toLocalUrl(resolve('@wllama/wllama-compat/wasm/wllama.wasm')),
  });
  started.push(wllama);
  return wllama;
}

describe('wllama', () => {
  it('starts as many workers as it is told, and has llama.cpp compute with fewer where computeWith asks for that', async () => {
    const plain = await newWllama();
    await plain.loadModel([model], loadParams(PLAN, NEEDS));
    const sent = vi.spyOn(Object.getPrototypeOf(plain.proxy) as WorkerProxy, 'wllamaAction');
    const restrained = await newWllama();
    computeWith(restrained, PLAN.threads);
    await restrained.loadModel([model], loadParams(PLAN, NEEDS));
    const [, message] = sent.mock.calls.find(([action]) => action === 'load') ?? [];
    expect(message).toMatchObject({ n_threads: PLAN.threads });
    expect(restrained.isMultithread()).toBe(true);
  });

  it('takes a model that llama.cpp refused for a loaded one, which then has no tokens', async () => {
    const bytes = Buffer.from(await model.arrayBuffer());
    // The length stays the same, so the header stays valid.
    bytes.write('qwenX', bytes.indexOf('qwen2'));
    const wllama = await newWllama();
    await wllama.loadModel([new Blob([bytes])], loadParams(PLAN, { passSize: 0, helpers: 0 }));
    expect(wllama.getLoadedContextInfo().n_vocab).toBe(0);
  });

  it('says the same of a completion whose steps are asked for ahead as of one by one, and serves on after an abort', async () => {
    const wllama = await newWllama();
    await wllama.loadModel([model], loadParams(PLAN, { passSize: 0, helpers: 0 }));
    const params = { prompt: 'hello', n_predict: 40, temperature: 0, stream: true };
    const textOf = ({ choices: [choice] }: Chunk) => choice?.text ?? '';
    const never = new AbortController().signal;
    const oneByOne: string[] = [];
    const onData = (chunk: unknown) => oneByOne.push(textOf(chunk as Chunk));
    await wllama.createCompletion({ ...params, stream: true, abortSignal: never, onData });

    const run = async (signal: AbortSignal, onText: () => void) => {
      const texts: string[] = [];
      const onChunk = (chunk: Chunk) => {
        texts.push(textOf(chunk));
        onText();
      };
      await complete(wllama, { params, files: [], signal, onChunk }, { error: () => {} });
      return texts;
    };
    expect(await run(never, () => {})).toEqual(oneByOne);
    const stop = new AbortController();
    expect(await run(stop.signal, () => stop.abort())).toEqual(oneByOne.slice(0, 1));
    expect(await run(never, () => {})).toEqual(oneByOne);
  });

  it('hands out one result for each token that it computes: two that tell the progress put the first token off by two', async () => {
    const wllama = await newWllama();
    await wllama.loadModel([model], loadParams(PLAN, { passSize: 0, helpers: 0 }));
    const resultsBeforeText = async (return_progress: boolean) => {
      const chunks: Chunk[] = [];
      const params = { prompt: 'hello', n_predict: 4, timings_per_token: true, cache_prompt: false, return_progress };
      const signal = new AbortController().signal;
      const run = {
        params: { ...params, stream: true },
        files: [],
        signal,
        onChunk: (chunk: Chunk) => chunks.push(chunk),
      };
      await complete(wllama, run, { error: () => {} });
      return chunks.findIndex(({ choices: [choice] }) => choice?.text);
    };
    expect(await resultsBeforeText(true)).toBe(2);
    expect(await resultsBeforeText(false)).toBe(0);
  });

  it('takes the build that is compiled ahead for all threads', async () => {
    const { compat } = (await newWllama()).getWorkerResources();
    expect((await compileRuntime()).name).toBe(compat ? '32-bit, compatible' : '64-bit');
  });
});
