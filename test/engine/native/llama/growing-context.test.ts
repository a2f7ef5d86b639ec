import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../../src/contract/events.ts';
import type { EngineOptions, TextEngine } from '../../../../src/engine/engine.ts';
import { cachedBytesPerToken } from '../../../../src/engine/memory-estimate.ts';
import { loadNativeEngine } from '../../../../src/engine/native/engine.ts';
import { createDecoder } from '../../../../src/engine/native/llama/decoder.ts';
import { createGrowingContext, type GrowingContext } from '../../../../src/engine/native/llama/growing-context.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';
import { textRequest } from '../../../kit/generation.ts';
import { recordingLog, silentLog } from '../../../kit/log.ts';
import { SMALL_BATCH, writeHybridModel, writeWindowModel } from '../../../kit/models/forgetful-model.ts';
import { writeTinyModel } from '../../../kit/models/tiny-model.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

const WINDOW = 1024;
/** As long as nobody needs more. */
const FIRST_ROOM = 256;
/** Memory that was lacking is asked for again after this, in ms. */
const RETRY_MS = 1000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-growing-'));
});
afterAll(() => rm(folder, { recursive: true }));

const optionsFor = (file: string): EngineOptions => ({
  files: [file],
  kind: 'chat',
  contextLength: WINDOW,
  slots: 4,
  threads: 1,
  batchSize: SMALL_BATCH,
  // Each sequence has a cache of its own then.
  flashAttention: false,
});

/** A prompt of so many words, each of one token. */
const words = (count: number, from = 0) =>
  Array.from({ length: count }, (_, place) => 100 + ((place * 7 + from * 13) % 150));

async function run(
  engine: TextEngine,
  prompt: number[],
  maxTokens: number,
  onEvent: (event: EngineEvent) => void = () => {},
) {
  const tokens: number[] = [];
  const events: EngineEvent[] = [];
  await engine.generate(
    textRequest('', { prompt, maxTokens, journal: true }),
    (event) => {
      if (event.kind === 'drawn') tokens.push(event.token);
      events.push(event);
      onEvent(event);
    },
    new AbortController().signal,
  );
  const done = events.find((event) => event.kind === 'done');
  const finish = events.find((event) => event.kind === 'finish');
  return { tokens, cached: done?.cachedTokens, reason: finish?.reason };
}

describe.each([
  { kind: 'attention alone', write: (path: string) => writeTinyModel(path) },
  { kind: 'a recurrent state', write: writeHybridModel },
  { kind: 'a sliding window', write: writeWindowModel },
])('the context of a model with $kind', ({ kind, write }) => {
  const lines: string[] = [];
  let growing: TextEngine;
  /** It has all of its room from the beginning: there is not the memory to have it twice. */
  let whole: TextEngine;
  beforeAll(async () => {
    const file = join(folder, `${kind}.gguf`);
    write(file);
    growing = await loadNativeEngine(optionsFor(file), 'cpu', recordingLog(lines), { needed: 1, available: 2 });
    whole = await loadNativeEngine(optionsFor(file), 'cpu', silentLog, { needed: 1, available: 1 });
  });
  afterAll(async () => {
    await growing[Symbol.asyncDispose]();
    await whole[Symbol.asyncDispose]();
  });
  const growths = () => lines.filter((line) => line.startsWith('slots have more room'));

  it('tells the whole window from the beginning', () => {
    expect(growing.info.contextLength).toBe(WINDOW);
    expect(whole.info.contextLength).toBe(WINDOW);
  });

  it('grows for a long prompt while others write, and neither replies nor what slots hold change', async () => {
    const talk = async (engine: TextEngine) => {
      const first = await run(engine, words(100), 8);
      let long: ReturnType<typeof run> | undefined;
      const beside = await run(engine, words(30, 1), 100, ({ kind }) => {
        if (kind === 'drawn') long ??= run(engine, words(300, 2), 8);
      });
      const next = await run(engine, [...words(100), ...first.tokens, ...words(20, 3)], 8);
      return { first, beside, long: await long, next };
    };
    const grown = await talk(growing);
    expect(growths()).toHaveLength(1);
    expect(grown).toEqual(await talk(whole));
    expect(grown.next.cached).toBeGreaterThan(95);
  });

  it('grows in the midst of a reply', async () => {
    const before = growths().length;
    const prompt = words(400, 4);
    const { tokens, reason } = await run(growing, prompt, 200);
    expect(growths()).toHaveLength(before + 1);
    expect(reason).toBe('length');
    expect(tokens).toHaveLength(200);
    expect(tokens).toEqual((await run(whole, prompt, 200)).tokens);
  });
});

describe('a context that lacks the memory to grow', () => {
  const lines: string[] = [];
  let available = Number.POSITIVE_INFINITY;
  let engine: TextEngine;
  beforeAll(async () => {
    const file = join(folder, 'lacking.gguf');
    writeTinyModel(file);
    const memory = { needed: 1, available: 2 };
    engine = await loadNativeEngine(optionsFor(file), 'cpu', recordingLog(lines), memory, undefined, () => available);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it('refuses a longer prompt, ends longer replies, serves all others, and grows as soon as it can', async () => {
    available = 0;
    const beside = run(engine, words(50), 100);
    await expect(run(engine, words(500, 1), 8)).rejects.toMatchObject({
      data: { status: 503, code: 'insufficient_memory' },
      message: `The prompt has 500 tokens; there is free memory for ${FIRST_ROOM} of them now.`,
    });
    expect((await beside).tokens).toHaveLength(100);
    const ended = await run(engine, words(FIRST_ROOM - 50, 2), 100);
    expect(ended).toMatchObject({ reason: 'length', tokens: { length: 50 } });
    expect(lines.filter((line) => line.startsWith('too little free memory'))).toHaveLength(1);
    available = Number.POSITIVE_INFINITY;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    expect((await run(engine, words(500, 1), 8)).tokens).toHaveLength(8);
  });
});

describe('a context by itself', () => {
  let model: LlamaModel;
  let options: EngineOptions;
  beforeAll(async () => {
    const file = join(folder, 'alone.gguf');
    writeTinyModel(file);
    options = optionsFor(file);
    model = await openNativeModel(file);
  });
  afterAll(() => model.close());

  const growingOf = (grows: boolean, of = model) => createGrowingContext(of, options, grows, silentLog);
  const decoderFor = (growing: GrowingContext) =>
    createDecoder(growing, { window: null, rewinds: true, recurs: false });
  const decoderOf = async (grows: boolean, of = model) => decoderFor(await growingOf(grows, of));

  it('begins whole if it is not to grow, or if the angles of the model depend on the window', async () => {
    expect((await decoderOf(true)).room).toBe(FIRST_ROOM);
    expect((await decoderOf(false)).room).toBe(WINDOW);
    const turning = { ...model, handle: model.handle, architecture: () => '512' };
    expect((await decoderOf(true, turning)).room).toBe(WINDOW);
    // llama.cpp would take the size of a shared cache for the window.
    const sharing = { ...options, flashAttention: undefined };
    expect((await createGrowingContext(turning, sharing, true, silentLog)).context.unified).toBe(false);
  });

  it('gets just what is needed where there is no memory for the double', async () => {
    let available = 0;
    const growing = await createGrowingContext(model, options, true, silentLog, () => available);
    available = 3.5 * growing.bytes;
    await growing.grow(2 * FIRST_ROOM + 1);
    expect(growing.room).toBe(3 * FIRST_ROOM);
  });

  it('stays as it is where nobody can tell how much memory there is', async () => {
    const lines: string[] = [];
    const growing = await createGrowingContext(model, options, true, recordingLog(lines), () => {
      throw new Error('no such file');
    });
    await growing.grow(2 * FIRST_ROOM);
    expect(growing.room).toBe(FIRST_ROOM);
    expect(lines).toEqual([expect.stringContaining('slots could not get more room')]);
  });

  it('is not moved as long as bytes are to be copied, which the next pass does', async () => {
    const growing = await growingOf(true);
    const decoder = decoderFor(growing);
    const tokens = words(20);
    await decoder.decode([{ sequence: 0, at: 0, tokens, logitsAt: [] }], 1);
    await decoder.copy(0, 1, 20);
    await decoder.reserve(500);
    expect(decoder.room).toBe(FIRST_ROOM);
    await decoder.decode([{ sequence: 1, at: 20, tokens, logitsAt: [] }], 1);
    await decoder.reserve(500);
    expect(decoder.room).toBeGreaterThan(500);
    expect(growing.context.positions(1).last).toBe(39);
  });

  it('holds its tokens in the format that is asked for, with the bytes that the estimate expects', async () => {
    const wide = await openNativeModel('models/pico/pico.gguf');
    const [layers = 0, width = 0] = ['block_count', 'embedding_length'].map((key) => Number(wide.architecture(key)));
    for (const kvType of ['f16', 'q8_0', 'q4_0'] as const) {
      const { bytes, context } = await createGrowingContext(
        wide,
        { ...options, kvType, flashAttention: undefined },
        true,
        silentLog,
      );
      // A saved token also has its position and its sequence, in 12 bytes.
      const tokens = context.unified ? context.room : options.slots * context.room;
      const perToken = bytes / tokens - 12;
      expect(perToken, kvType).toBe(cachedBytesPerToken({ cachedPerToken: 2 * layers * width }, kvType));
    }
    await wide.close();
  });

  it('takes a copy only where there is room for it', async () => {
    const path = join(folder, 'copy');
    const from = await decoderOf(false);
    for (let at = 0; at < 480; at += SMALL_BATCH) {
      await from.decode([{ sequence: 0, at, tokens: words(SMALL_BATCH), logitsAt: [] }], 1);
    }
    await from.save(0, path);
    const to = await decoderOf(true);
    expect(await to.load(2, path, 480)).toBe(false);
    await to.reserve(480);
    expect(await to.load(2, path, 480)).toBe(true);
  });
});

describe('a context whose sequences share one cache', () => {
  const lines: string[] = [];
  const available = Number.POSITIVE_INFINITY;
  let engine: TextEngine;
  let alone: TextEngine;
  /** Room for two whole windows, and for four sequences. */
  const LONG = 4096;
  const unlike = (options: EngineOptions): EngineOptions => ({
    ...options,
    contextLength: LONG,
    slots: 2,
    mostSlots: 4,
    batchSize: 256,
    flashAttention: undefined,
  });
  beforeAll(async () => {
    const file = join(folder, 'shared.gguf');
    writeTinyModel(file, { contextLength: LONG });
    const memory = { needed: 1, available: 2 };
    const options = unlike(optionsFor(file));
    engine = await loadNativeEngine(options, 'cpu', recordingLog(lines), memory, undefined, () => available);
    alone = await loadNativeEngine(options, 'cpu', silentLog, { needed: 1, available: 1 });
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await alone[Symbol.asyncDispose]();
  });
  const sharesCells = () => engine.info.slots > 2;

  it('has more slots than whole windows', (context) => {
    context.skip(!sharesCells(), 'the processor has no kernels of Paddock');
    expect(engine.info).toMatchObject({ slots: 4, contextLength: LONG, cacheLength: 2 * LONG });
  });

  it('grows when the cells are used up', async (context) => {
    context.skip(!sharesCells(), 'the processor has no kernels of Paddock');
    const prompts = [700, 701, 702].map((length, index) => words(length, index));
    const replies = await Promise.all(prompts.map((prompt) => run(engine, prompt, 30)));
    for (const [index, { tokens }] of replies.entries())
      expect(tokens).toEqual((await run(alone, prompts[index] ?? [], 30)).tokens);
    expect(lines.filter((line) => line.startsWith('slots have more room'))).not.toEqual([]);
  });

  it('drops what idle slots hold, and has the latest reply wait, where it can grow no more', {
    timeout: 60_000,
  }, async (context) => {
    context.skip(!sharesCells(), 'the processor has no kernels of Paddock');
    const prompts = [2100, 2101, 2102, 2103].map((length, index) => words(length, 10 + index));
    const replies = await Promise.all(prompts.map((prompt) => run(engine, prompt, 40)));
    expect(replies.map(({ tokens }) => tokens.length)).toEqual([40, 40, 40, 40]);
    // It had no room, and was evaluated again.
    expect(replies.at(-1)?.tokens).toEqual((await run(alone, prompts.at(-1) ?? [], 40)).tokens);
  });

  it('lets a conversation that was dropped be evaluated again', async () => {
    const prompt = words(700, 0);
    expect((await run(engine, prompt, 30)).tokens).toEqual((await run(alone, prompt, 30)).tokens);
  });
});
