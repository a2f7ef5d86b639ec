import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { GenerationEvent } from '../../../src/core/events.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { ask, doneOf, generate, greedy, textOf } from '../../support/generation.ts';
import { silentLog } from '../../support/log.ts';

const BATCH_SIZE = 64;
const SLOTS = 16;

let engine: Engine;
beforeAll(async () => {
  const files = [join(inject('modelsFolder'), 'tiny.gguf')];
  engine = await loadNativeEngine(
    { files, contextLength: null, slots: SLOTS, threads: 1, batchSize: BATCH_SIZE },
    'cpu',
    silentLog,
  );
});
afterAll(() => engine[Symbol.asyncDispose]());

describe('the native engine', () => {
  it('says what it runs on', () => {
    expect(engine.info).toMatchObject({
      backend: 'cpu',
      contextLength: 1024,
      trainedContextLength: 1024,
      slots: SLOTS,
      gpuLayers: 0,
    });
  });

  it('tells the progress, the text, why it ended and the counts, in this order', async () => {
    const events = await generate(engine, ask('hello', { maxTokens: 4 }));
    const kinds = events.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1]);
    expect(kinds).toEqual(['progress', 'text', 'finish', 'done']);
    expect(events[0]).toMatchObject({ cache: 0, processed: 0, total: doneOf(events).promptTokens });
    expect(doneOf(events)).toMatchObject({ completionTokens: 4, cachedTokens: 0 });
  });

  it('generates in 16 parallel streams exactly what each generates alone', async () => {
    const requests = Array.from({ length: SLOTS }, (_, index) =>
      ask(`stream ${index} ${'of words '.repeat(index)}`, { maxTokens: 100 }),
    );
    const alone: string[] = [];
    for (const request of requests) alone.push(textOf(await generate(engine, request)));
    const together = await Promise.all(requests.map((request) => generate(engine, request)));
    expect(together.map(textOf)).toEqual(alone);
    expect(new Set(alone).size).toBe(SLOTS);
  });

  it('gives seeded replies that do not depend on what runs beside them', async () => {
    const sampling = { ...greedy, temperature: 1, seed: 42 };
    const alone = textOf(await generate(engine, ask('dice', { sampling })));
    const [beside] = await Promise.all([
      generate(engine, ask('dice', { sampling })),
      generate(engine, ask('other', { sampling })),
    ]);
    expect(textOf(beside)).toBe(alone);
  });

  it('feeds a long prompt in chunks while a running stream goes on', async () => {
    const order: string[] = [];
    const note = (name: string) => (event: GenerationEvent) => {
      order.push(`${name} ${event.kind}`);
      if (order.length === 5) void second();
    };
    const never = new AbortController().signal;
    let prefill: Promise<void> | undefined;
    const second = () => {
      prefill = engine.generate(ask('word '.repeat(190), { maxTokens: 1 }), note('long'), never);
      return prefill;
    };
    await engine.generate(ask('short', { maxTokens: 100 }), note('short'), never);
    await prefill;
    const during = order.slice(order.indexOf('long progress'), order.lastIndexOf('long progress'));
    expect(during.filter((entry) => entry === 'long progress').length).toBeGreaterThan(5);
    expect(during.filter((entry) => entry === 'short text').length).toBeGreaterThan(5);
  });

  it('reuses the common beginning for each of several conversations in turn', async () => {
    const conversation = (name: string) => ask(`${name} ${'said much before '.repeat(8)}`, { cachePrompt: true });
    for (const name of ['ada', 'bob', 'cyd']) await generate(engine, conversation(name));
    for (const name of ['cyd', 'ada', 'bob']) {
      const { promptTokens, cachedTokens } = doneOf(await generate(engine, conversation(name)));
      expect(cachedTokens).toBe(promptTokens - 1);
    }
  });

  it('gives the same text from the cache as without it', async () => {
    const request = ask('the same either way', { cachePrompt: true });
    await generate(engine, request);
    const cached = await generate(engine, request);
    expect(doneOf(cached).cachedTokens).toBeGreaterThan(0);
    expect(textOf(cached)).toBe(textOf(await generate(engine, { ...request, cachePrompt: false })));
  });

  it('ends an aborted generation within one step, without a last event, and frees its slot', async () => {
    const cancel = new AbortController();
    const events: GenerationEvent[] = [];
    let textsAfterAbort = 0;
    await engine.generate(
      ask('endless', { maxTokens: null }),
      (event) => {
        events.push(event);
        if (cancel.signal.aborted && event.kind === 'text') textsAfterAbort += 1;
        if (events.length === 10) cancel.abort();
      },
      cancel.signal,
    );
    expect(textsAfterAbort).toBe(0);
    expect(events.at(-1)?.kind).toBe('text');
    const all = await Promise.all(Array.from({ length: SLOTS }, () => generate(engine, ask('next'))));
    for (const generation of all) expect(doneOf(generation).completionTokens).toBe(32);
  });

  it('sees an abort during prefill', async () => {
    const cancel = new AbortController();
    const events: GenerationEvent[] = [];
    await engine.generate(
      ask('word '.repeat(190)),
      (event) => {
        events.push(event);
        if (event.kind === 'progress' && event.processed > 0) cancel.abort();
      },
      cancel.signal,
    );
    expect(events.every(({ kind }) => kind === 'progress')).toBe(true);
  });

  it('says overflow, and nothing else, of a prompt that leaves no room for a reply', async () => {
    const events = await generate(engine, ask('q'.repeat(2000)));
    expect(events).toEqual([{ kind: 'overflow', promptTokens: expect.any(Number), contextLength: 1024 }]);
  });

  it('refuses the samplers that it lacks', async () => {
    const mirostat = ask('x', { sampling: { ...greedy, mirostat: 2 } });
    await expect(generate(engine, mirostat)).rejects.toMatchObject({ data: { status: 400, param: 'mirostat' } });
  });
});
