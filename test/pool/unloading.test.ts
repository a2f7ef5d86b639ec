import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
// The built pool is used, because its worker threads need real files.
import { createPool, type PoolOptions } from '../../dist/src/pool/pool.js';
import type { Runner } from '../../src/contract/runner.ts';
import type { ModelShape } from '../../src/engine/engine.ts';
import { NOBODY } from '../../src/pool/observer.ts';
import { ask, call, textOf } from '../kit/generation.ts';
import { recordingLog } from '../kit/log.ts';
import { tinyModelShape } from '../kit/models/model-shape.ts';

const GIB = 2 ** 30;
const never = new AbortController().signal;

let lines: string[];
let folder: string;
let pool: (Runner & AsyncDisposable) | undefined;
beforeEach(async () => {
  lines = [];
  folder = await mkdtemp(join(tmpdir(), 'paddock-pool-'));
});
afterEach(async () => {
  await pool?.[Symbol.asyncDispose]();
  pool = undefined;
  await rm(folder, { recursive: true });
});

const shape: ModelShape = { ...tinyModelShape, fileBytes: 2_700_000 };
/** The shape of a model whose header claims 42.9 GB. */
const hugeShape: ModelShape = {
  fileBytes: 40 * GIB,
  layers: 80,
  cachedPerToken: 80 * 8 * 256,
  embeddingLength: 8192,
  feedForwardLength: 28_672,
  vocabularySize: 128_256,
  trainedContextLength: 131_072,
  poolsLast: false,
};

function open(more: Partial<PoolOptions> = {}): Runner {
  pool = createPool({
    backend: 'cpu',
    engine: { contextLength: null, slots: 2, threads: 1, batchSize: 64 },
    maxWaiting: 8,
    maxLoadedModels: 1,
    idleTimeoutMs: null,
    sourceOf: (id) => ({ kind: 'chat', files: [join(inject('modelsFolder'), `${id}.gguf`)], shape }),
    memory: () => ({ available: 4 * GIB, held: 0 }),
    log: recordingLog(lines),
    ...more,
  });
  return pool;
}

async function say(runner: Runner, id: string, signal: AbortSignal = never): Promise<string> {
  const events = [];
  for await (const event of runner.generate(id, ask('hello', { maxTokens: 8 }), call(signal))) events.push(event);
  return textOf(events);
}

const loadedIds = (runner: Runner) => runner.loaded().map(({ id }) => id);

describe('a pool of one model at a time', () => {
  it.each([
    ['cpu', 3],
    ['wasm', 1],
  ] as const)(
    'swaps models on %s again and again, and their replies stay the same',
    async (backend, times) => {
      const runner = open({ backend });
      const first = [await say(runner, 'tiny'), await say(runner, 'shelf/brief')];
      const held: number[] = [];
      for (let time = 0; time < times; time++) {
        expect([await say(runner, 'tiny'), await say(runner, 'shelf/brief')]).toEqual(first);
        expect(loadedIds(runner)).toEqual(['shelf/brief']);
        held.push(process.memoryUsage.rss());
      }
      expect(new Set(first).size).toBe(2);
      if (backend === 'cpu') expect((held.at(-1) ?? 0) - (held[1] ?? 0)).toBeLessThan(32 * 2 ** 20);
    },
    300_000,
  );

  it('lets a long reply end before it unloads the model', async () => {
    const runner = open();
    const order: string[] = [];
    const running = runner
      .generate('tiny', ask('a long story', { maxTokens: 200 }), call(never))
      [Symbol.asyncIterator]();
    await running.next();
    const other = say(runner, 'shelf/brief').then(() => order.push('brief'));
    expect(runner.moving()).toEqual([{ id: 'shelf/brief', state: 'queued', waiting: 1 }]);
    while (!(await running.next()).done);
    order.push('tiny');
    await other;
    expect(order).toEqual(['tiny', 'brief']);
    expect(loadedIds(runner)).toEqual(['shelf/brief']);
  });

  it('counts a load as given up, not as failed, when all who wanted it leave while it waits for room', async () => {
    const told: string[] = [];
    const observer = {
      ...NOBODY,
      loadFailed: (id: string) => void told.push(`failed ${id}`),
      loadGivenUp: (id: string) => void told.push(`given up ${id}`),
    };
    const runner = open({ observer });
    const running = runner
      .generate('tiny', ask('a long story', { maxTokens: 200 }), call(never))
      [Symbol.asyncIterator]();
    await running.next();
    const gone = new AbortController();
    const other = say(runner, 'shelf/brief', gone.signal);
    expect(runner.moving()).toMatchObject([{ id: 'shelf/brief', state: 'queued' }]);
    gone.abort();
    expect(await other).toBe('');
    await running.return?.();
    await expect.poll(() => told).toEqual(['given up shelf/brief']);
    expect(runner.moving()).toEqual([]);
  });

  it('unloads no model whose reply was cancelled before its thread has stopped', async () => {
    const runner = open();
    const gone = new AbortController();
    const events = runner
      .generate('tiny', ask('endless', { maxTokens: null }), call(gone.signal))
      [Symbol.asyncIterator]();
    await events.next();
    const other = say(runner, 'shelf/brief');
    gone.abort();
    expect(await other).not.toBe('');
    // llama.cpp's own words for the pass that was aborted are no failure.
    expect(lines.filter((line) => !line.includes('"source":"llama.cpp"')).join('\n')).not.toMatch(/failed|lost/);
  });

  it('answers questions of a model that must be loaded first', async () => {
    const runner = open();
    await say(runner, 'tiny');
    const answer = await runner.ask('shelf/brief', 'tokenize', { text: 'abc', addSpecial: false }, call(never));
    expect(answer.tokens.length).toBeGreaterThan(0);
    expect(loadedIds(runner)).toEqual(['shelf/brief']);
  });

  it('takes the current files when it loads a model again', async () => {
    const file = join(folder, 'changing.gguf');
    const model = (name: string) => copyFile(join(inject('modelsFolder'), `${name}.gguf`), file);
    await model('tiny');
    const runner = open({
      sourceOf: (id) => ({
        kind: 'chat',
        files: [id === 'changing' ? file : join(inject('modelsFolder'), `${id}.gguf`)],
        shape,
      }),
    });
    const before = await say(runner, 'changing');
    const brief = await say(runner, 'shelf/brief');
    await rm(file);
    await model('shelf/brief');
    expect(await say(runner, 'changing')).toBe(brief);
    expect(before).not.toBe(brief);
  });
});

describe('a pool with an idle timeout', () => {
  it('unloads an idle model, and loads it again', async () => {
    const runner = open({ idleTimeoutMs: 1 });
    const first = await say(runner, 'tiny');
    await expect.poll(() => [runner.loaded(), runner.moving()], { timeout: 30_000 }).toEqual([[], []]);
    expect(lines.join('\n')).toContain('model unloaded {"model":"tiny"');
    expect(await say(runner, 'tiny')).toBe(first);
  });
});

describe('a pool with too little memory for a model', () => {
  const sourceOf: PoolOptions['sourceOf'] = (id) => ({
    kind: 'chat',
    files: [join(inject('modelsFolder'), id === 'huge' ? 'tiny.gguf' : `${id}.gguf`)],
    shape: id === 'huge' ? hugeShape : shape,
  });

  it('refuses it with figures and advice, keeps the others, and serves on', async () => {
    const runner = open({ sourceOf, maxLoadedModels: null });
    const first = await say(runner, 'tiny');
    await expect(say(runner, 'huge')).rejects.toMatchObject({
      data: {
        status: 503,
        type: 'server_error',
        code: 'insufficient_memory',
        message: expect.stringMatching(
          /'huge'.* needs 4\d\.\d GB .*43\.0 GB of weights.* 2 slots of 2048 tokens.* 4\.3 GB can be had\. Each token reads 42\.9 GB of weights.* would fit/,
        ),
      },
    });
    expect(loadedIds(runner)).toEqual(['tiny']);
    expect(await say(runner, 'tiny')).toBe(first);
  });

  it('unloads idle models if that is enough', async () => {
    const memory = () => ({ available: 80 * 2 ** 20, held: 0 });
    const runner = open({ maxLoadedModels: null, memory });
    await say(runner, 'tiny');
    await say(runner, 'shelf/brief');
    expect(loadedIds(runner)).toEqual(['shelf/brief']);
  });

  it('shortens the default context window, but not one that was asked for', async () => {
    const long = { ...shape, cachedPerToken: 2 ** 15, trainedContextLength: 100_000 };
    const files = [join(inject('modelsFolder'), 'tiny.gguf')];
    const memory = () => ({ available: 400 * 2 ** 20, held: 0 });
    const sources: PoolOptions['sourceOf'] = () => ({ kind: 'chat', files, shape: long });
    const runner = open({ sourceOf: sources, memory, backend: 'cpu' });
    await say(runner, 'tiny');
    expect(runner.loaded()).toMatchObject([{ engine: { contextLength: 2048 } }]);
    await pool?.[Symbol.asyncDispose]();
    const engine = { contextLength: 8192, slots: 2, threads: 1, batchSize: 64 };
    const strict = open({ sourceOf: sources, memory, engine });
    await expect(say(strict, 'tiny')).rejects.toMatchObject({ data: { code: 'insufficient_memory' } });
  });

  it('uses the load settings of the model itself, if it has its own', async () => {
    const files = [join(inject('modelsFolder'), 'tiny.gguf')];
    const wide = { ...shape, cachedPerToken: 2 ** 15 };
    const memory = () => ({ available: 400 * 2 ** 20, held: 0 });
    const runner = open({
      sourceOf: (id) => ({ kind: 'chat', files, shape: wide, loading: { slots: id === 'many' ? 16 : 1 } }),
      memory,
    });
    expect(await say(runner, 'one')).not.toBe('');
    await expect(say(runner, 'many')).rejects.toMatchObject({
      data: { message: expect.stringContaining('16 slots of 1024 tokens') },
    });
  });

  it('tries each backend in turn and says why none is possible', async () => {
    const runner = open({ backend: 'auto', sourceOf });
    await expect(say(runner, 'huge')).rejects.toMatchObject({ data: { status: 503, code: 'insufficient_memory' } });
    expect(lines.join('\n')).toMatch(/model could not be loaded.*"backend":"gpu".*"backend":"cpu".*"backend":"wasm"/);
  });

  it('reports a broken model as broken, although WebAssembly could not hold it either', async () => {
    const memory = () => ({ available: 200 * GIB, held: 0 });
    const runner = open({
      backend: 'auto',
      memory,
      sourceOf: () => ({ kind: 'chat', files: [join(folder, 'none.gguf')], shape: hugeShape }),
    });
    await expect(say(runner, 'huge')).rejects.toMatchObject({ data: { status: 500, code: 'model_load_failed' } });
  });

  it('tells how much memory each model takes', async () => {
    const runner = open();
    await say(runner, 'tiny');
    const [model] = runner.loaded();
    expect(model?.memory).toBeGreaterThan(shape.fileBytes);
    expect(model?.memory).toBeLessThan(80 * 2 ** 20);
  });
});

describe('a pool that is disposed while a model loads', () => {
  it('logs no error', async () => {
    const runner = open({ maxLoadedModels: null });
    const waiting = ['tiny', 'shelf/brief'].map((id) => say(runner, id).catch((error: unknown) => error));
    await pool?.[Symbol.asyncDispose]();
    expect(await Promise.all(waiting)).toMatchObject([{ data: { status: 500 } }, { data: { status: 500 } }]);
    expect(runner.loaded()).toEqual([]);
    expect(lines.filter((line) => /fail|lost/.test(line))).toEqual([]);
  });

  it('ends even if the load hangs', async () => {
    const fifo = join(folder, 'never.gguf');
    // Opening this file blocks until somebody writes to it.
    execFileSync('mkfifo', [fifo]);
    const runner = open({ sourceOf: () => ({ kind: 'chat', files: [fifo], shape }) });
    const waiting = say(runner, 'never').catch((error: unknown) => error);
    const gone = new AbortController();
    const impatient = say(runner, 'never', gone.signal);
    gone.abort();
    expect(await impatient).toBe('');
    expect(runner.moving()).toEqual([{ id: 'never', state: 'loading', waiting: 1 }]);
    await pool?.[Symbol.asyncDispose]();
    expect(await waiting).toMatchObject({ data: { status: 500 } });
    expect(lines.join('\n')).toContain('could not be unloaded in time');
    await (await openFile(fifo, 'w')).close();
  }, 60_000);
});
