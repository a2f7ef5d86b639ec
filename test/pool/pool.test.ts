import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, inject, it } from 'vitest';
// The built pool is used, because its worker threads need real files.
import { createPool, type PoolOptions } from '../../dist/src/pool/pool.js';
import type { Runner } from '../../src/contract/runner.ts';
import { planBackends } from '../../src/pool/load/load-model.ts';
import { planThreads } from '../../src/pool/threads/model-threads.ts';
import { eventually } from '../kit/eventually.ts';
import { ask, call, textOf } from '../kit/generation.ts';
import { recordingLog, silentLog } from '../kit/log.ts';
import { tinyModelShape } from '../kit/models/model-shape.ts';

let pool: (Runner & AsyncDisposable) | undefined;
afterEach(async () => {
  await pool?.[Symbol.asyncDispose]();
  pool = undefined;
});

function open(more: Partial<PoolOptions> = {}): Runner {
  pool = createPool({
    backend: 'cpu',
    engine: { contextLength: null, slots: 2, threads: 1, batchSize: 64 },
    maxWaiting: 8,
    maxLoadedModels: null,
    idleTimeoutMs: null,
    sourceOf: () => ({ kind: 'chat', files: [join(inject('modelsFolder'), 'tiny.gguf')], shape: tinyModelShape }),
    log: silentLog,
    ...more,
  });
  return pool;
}

const never = new AbortController().signal;

async function run(runner: Runner, content: string, signal: AbortSignal = never) {
  const events = [];
  for await (const event of runner.generate('tiny', ask(content), call(signal))) events.push(event);
  return events;
}

describe('the pool', () => {
  it('starts a thread that prepares requests before the first request if it is given a template, and then uses it', async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker) => void threads.push(thread);
    process.on('worker', note);
    try {
      const runner = open({ firstTemplate: '{{ messages[0].content }}' });
      await eventually(() => expect(threads).toHaveLength(1));
      expect(textOf(await run(runner, 'Hi'))).not.toBe('');
      expect(threads).toHaveLength(1);
    } finally {
      process.off('worker', note);
    }
  });

  it('loads a model at its first request, once for a whole burst, and keeps it', async () => {
    const runner = open();
    expect(runner.loaded()).toEqual([]);
    const burst = await Promise.all(['a', 'b', 'c', 'd'].map((content) => run(runner, content)));
    expect(new Set(burst.map(textOf)).size).toBe(4);
    expect(runner.loaded()).toMatchObject([{ id: 'tiny', engine: { backend: 'cpu', slots: 2 }, busy: 0, waiting: 0 }]);
  });

  it.each(['cpu', 'wasm'] as const)(
    'shares cached prompts between keys, unless they are isolated (%s)',
    async (backend) => {
      const cachedFor = async (isolateKeys: boolean) => {
        const runner = open({
          backend,
          isolateKeys,
          engine: { contextLength: null, slots: 1, threads: 1, batchSize: 64 },
        });
        const cached: number[] = [];
        for (const name of ['ada', 'bob', 'bob']) {
          const context = { ...call(never), party: { name, priority: 0 } };
          const request = ask('what nobody else may know of', { cachePrompt: true });
          for await (const event of runner.generate('tiny', request, context)) {
            if (event.kind === 'done') cached.push(event.cachedTokens);
          }
        }
        await pool?.[Symbol.asyncDispose]();
        return cached;
      };
      const [first, second = 0, third = 0] = await cachedFor(false);
      expect([first, second > 0, third > 0]).toEqual([0, true, true]);
      expect(await cachedFor(true)).toEqual([0, 0, third]);
    },
  );

  it('falls through to the CPU where there is no GPU, and says why', async () => {
    const lines: string[] = [];
    const runner = open({ backend: 'auto', log: recordingLog(lines) });
    await run(runner, 'hello');
    const [model] = runner.loaded();
    expect(['gpu', 'cpu']).toContain(model?.engine.backend);
    expect(model?.fallbackReasons.length).toBe(model?.engine.backend === 'cpu' ? 1 : 0);
    expect(lines.filter((line) => line.startsWith('model loaded'))).toHaveLength(1);
  });

  it('takes prompts that are no conversations for a model whose chat template can not be read', async () => {
    const files = [join(inject('modelsFolder'), 'tiny.gguf')];
    const runner = open({ sourceOf: () => ({ kind: 'chat', files, shape: tinyModelShape, chatTemplate: '{% if %}' }) });
    await expect(run(runner, 'Hello')).rejects.toMatchObject({ data: { status: 500, code: 'chat_template_invalid' } });
    const events = [];
    const prompt = { kind: 'text', text: 'Hello' } as const;
    for await (const event of runner.generate('tiny', ask('', { prompt }), call(never))) events.push(event);
    expect(textOf(events)).not.toBe('');
  });

  it('answers a model that no backend can load with an error, keeps the reasons to the log, and tries again later', async () => {
    const lines: string[] = [];
    const files = { path: '/nowhere/secret.gguf' };
    const runner = open({
      sourceOf: () => ({ kind: 'chat', files: [files.path], shape: tinyModelShape }),
      log: recordingLog(lines),
    });
    await expect(run(runner, 'x')).rejects.toMatchObject({
      data: { status: 500, code: 'model_load_failed', message: expect.not.stringContaining('secret') },
    });
    expect(lines.join()).toContain('secret');
    files.path = join(inject('modelsFolder'), 'tiny.gguf');
    expect(textOf(await run(runner, 'x'))).not.toBe('');
  });

  it('counts running and waiting requests, and frees the slots of clients that leave', async () => {
    const runner = open();
    const gone = new AbortController();
    const running = Array.from({ length: 4 }, async () => {
      const request = ask('endless', { maxTokens: null });
      for await (const event of runner.generate('tiny', request, call(gone.signal)))
        if (event.kind === 'text') gone.abort();
    });
    await Promise.all(running);
    // A slot is free once the worker says so. These two requests take both slots, so they wait until both are free.
    await Promise.all([run(runner, 'a'), run(runner, 'b')]);
    expect(runner.loaded()).toMatchObject([{ waiting: 0 }]);
  });

  it.each([
    ['slot of its model', 'tiny'],
    ['room of its model, while another is loaded', 'other'],
  ])('ends work in the background for a request that waits for the %s', async (_, wanted) => {
    const runner = open({ maxLoadedModels: 1, engine: { contextLength: null, slots: 1, threads: 1, batchSize: 64 } });
    const gone = new AbortController();
    const party = { name: 'ada', priority: -1000, giveWay: () => gone.abort() };
    const request = ask('endless', { maxTokens: null });
    const background = async () => {
      let finished = false;
      for await (const event of runner.generate('tiny', request, { ...call(gone.signal), party }))
        if (event.kind === 'text' && !asked) asked = chat();
        else if (event.kind === 'done') finished = true;
      return finished;
    };
    let asked: Promise<string> | undefined;
    const chat = async () => {
      const events = [];
      const context = { ...call(never), party: { name: 'bob', priority: 0 } };
      for await (const event of runner.generate(wanted, ask('hello', { maxTokens: 4 }), context)) events.push(event);
      return textOf(events);
    };
    expect(await background()).toBe(false);
    expect(await asked).not.toBe('');
  });
});

describe('the backends to try', () => {
  const projector = '/models/mmproj.gguf';
  const sees = {
    ...{ places: 196, embeddingLength: 768, feedForwardLength: 3072, tokensTogether: 0, audio: false },
    ...{ dependsOnPlace: false, fileBytes: 0 },
  };

  it('are all of them in order, or only the configured one', () => {
    expect(planBackends('auto', {})).toEqual({ backends: ['gpu', 'cpu', 'wasm'], reasons: [] });
    expect(planBackends('cpu', {})).toEqual({ backends: ['cpu'], reasons: [] });
  });

  const built = { path: '/native/libmtmd.so' };
  const missing = { path: null, reason: 'libmtmd is not built' };

  it('are the native ones for a model with LoRA adapters, unless the configuration names WebAssembly', () => {
    const adapters = [{ name: 'style', file: '/models/style.gguf' }];
    expect(planBackends('auto', { adapters })).toEqual({ backends: ['gpu', 'cpu'], reasons: [] });
    expect(planBackends('wasm', { adapters })).toEqual({ backends: ['wasm'], reasons: [] });
    expect(planBackends('auto', { adapters, projector }, built).backends).toEqual(['gpu', 'cpu']);
    expect(planBackends('auto', { adapters, projector }, missing).backends).toEqual(['wasm']);
  });

  it.each([
    ['auto', ['gpu', 'cpu']],
    ['gpu', ['gpu']],
    ['cpu', ['cpu']],
    ['wasm', []],
  ] as const)(
    'are only WebAssembly for a model with a projector and no libmtmd, with the reason: %s',
    (wanted, passedOver) => {
      const { backends, reasons } = planBackends(wanted, { projector }, missing);
      expect(backends).toEqual(['wasm']);
      expect(reasons).toEqual(passedOver.map((name) => `${name}: the model has a projector, and libmtmd is not built`));
    },
  );

  it.each([
    ['auto', ['gpu', 'cpu', 'wasm']],
    ['gpu', ['gpu', 'wasm']],
    ['cpu', ['cpu', 'wasm']],
    ['wasm', ['wasm']],
  ] as const)('end with WebAssembly for a model with a projector: %s', (wanted, backends) => {
    expect(planBackends(wanted, { projector }, built)).toEqual({ backends, reasons: [] });
  });

  it('are only WebAssembly for a projector whose images depend on what is before them', () => {
    const shape = { projector: { ...sees, dependsOnPlace: true } };
    const { backends, reasons } = planBackends('cpu', { projector, shape }, built);
    expect(backends).toEqual(['wasm']);
    expect(reasons).toEqual([expect.stringMatching(/^cpu: the model has a projector, and the native engine/)]);
  });
});

describe('the plan of threads', () => {
  const engine = { slots: 4, threads: null };

  it('runs all slots of a native model in one thread', () => {
    expect(planThreads('cpu', engine, 8)).toEqual({ threads: 1, slots: 4 });
  });

  it('runs WebAssembly with one slot per thread, and as many threads as the cores and the slots allow', () => {
    expect(planThreads('wasm', engine, availableParallelism())).toEqual({ threads: 1, slots: 1 });
    expect(planThreads('wasm', { ...engine, threads: 2 }, 4)).toEqual({ threads: 2, slots: 1 });
    expect(planThreads('wasm', { ...engine, threads: 1 }, 64)).toEqual({ threads: 4, slots: 1 });
  });
});
