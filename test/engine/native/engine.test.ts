import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { MEDIA_MARK } from '../../../src/contract/media.ts';
import type { Prompt } from '../../../src/contract/prompt.ts';
import { type ChatService, createChatService } from '../../../src/engine/chat-service.ts';
import type { TextEngine } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { ask, chat, doneOf, generate, greedy, textOf } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';

const logprobsOf = (events: GenerationEvent[]) =>
  events.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []) : []));

const BATCH_SIZE = 64;
const SLOTS = 16;

let loaded: TextEngine;
let engine: ChatService;
beforeAll(async () => {
  const files = [join(inject('modelsFolder'), 'tiny.gguf')];
  loaded = await loadNativeEngine(
    { files, kind: 'chat', contextLength: null, slots: SLOTS, threads: 1, batchSize: BATCH_SIZE },
    'cpu',
    silentLog,
  );
  engine = createChatService(loaded);
});
afterAll(() => loaded[Symbol.asyncDispose]());

describe('the native engine', () => {
  it('says what it runs on', () => {
    expect(loaded.info).toMatchObject({
      backend: 'cpu',
      contextLength: 1024,
      trainedContextLength: 1024,
      slots: SLOTS,
      gpuLayers: 0,
    });
  });

  it('refuses an image instead of ignoring it', async () => {
    const image = { kind: 'image' as const, bytes: Uint8Array.of(1) };
    const prompt = chat([{ role: 'user', content: MEDIA_MARK, media: [image] }]);
    await expect(generate(engine, ask('', { prompt }))).rejects.toMatchObject({
      data: { status: 400, code: 'unsupported_parameter', param: 'messages' },
    });
  });

  it('emits the progress, the text, the finish reason and the counts, in this order', async () => {
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

  it('reuses the cached beginning of each of several conversations in turn', async () => {
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

  it('emits overflow, and nothing else, for a prompt that leaves no room for a reply', async () => {
    const events = await generate(engine, ask('q'.repeat(2000)));
    expect(events).toEqual([{ kind: 'overflow', promptTokens: expect.any(Number), contextLength: 1024 }]);
  });

  it('has samplers of its own: seeded, repeatable, each with an effect', async () => {
    const plain = { ...greedy, temperature: 1, seed: 3 };
    const others = [
      { mirostat: 1 as const, mirostatTau: 2 },
      { mirostat: 2 as const, mirostatTau: 2 },
      { typicalP: 0.3 },
      { dynatempRange: 0.8, temperature: 1.5 },
    ];
    const texts = [textOf(await generate(engine, ask('dice', { sampling: plain })))];
    for (const other of others) {
      const request = ask('dice', { sampling: { ...plain, ...other } });
      const text = textOf(await generate(engine, request));
      expect(textOf(await generate(engine, request))).toBe(text);
      texts.push(text);
    }
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('draws with its own samplers what llama.cpp draws', async () => {
    const sampling = { ...greedy, temperature: 0.9, topK: 30, topP: 0.9, minP: 0.02, repeatPenalty: 1.1, seed: 5 };
    const native = await generate(engine, ask('dice', { sampling }));
    const own = await generate(engine, ask('dice', { sampling, logprobs: 0 }));
    expect(textOf(own)).toBe(textOf(native));
  });

  it('tells the logprobs of a prompt as it tells them of a reply, whatever is in the cache', async () => {
    const text = (of: string): Prompt => ({ kind: 'text', text: of });
    const before = 'Once upon a time there was a small engine that could tell. '.repeat(3);
    const reply = await generate(engine, ask('', { prompt: text(before), logprobs: 3, maxTokens: 24 }));
    const written = logprobsOf(reply);
    expect(written).toHaveLength(24);
    const { tokens } = await loaded.ask('tokenize', { text: before + textOf(reply), addSpecial: false });

    for (const cachePrompt of [true, false]) {
      const prompt = text(before + textOf(reply));
      const events = await generate(
        engine,
        ask('', { prompt, promptLogprobs: true, cachePrompt, logprobs: 3, maxTokens: 1 }),
      );
      const told = events.flatMap((event) => (event.kind === 'progress' ? [event.logprobs ?? []] : []));
      expect(told.slice(0, -1).flat()).toEqual([]);
      const scores = told.at(-1) ?? [];
      expect(scores).toHaveLength(tokens.length);
      expect(scores.map((score) => score.text).join('')).toBe(before + textOf(reply));
      for (const [index, score] of scores.slice(-written.length).entries()) {
        const same = written[index];
        expect(score.text).toBe(same?.text);
        expect(score.logprob).toBeCloseTo(same?.logprob ?? 0, 4);
        expect(score.alternatives.map(({ text }) => text)).toEqual(same?.alternatives.map(({ text }) => text));
      }
      expect(doneOf(events)).toMatchObject({ cachedTokens: 0, completionTokens: 1 });
    }
  });

  it('gives the log probability of each token and of the most likely alternatives', async () => {
    const events = await generate(engine, ask('hello', { logprobs: 3, maxTokens: 12 }));
    const tokens = logprobsOf(events);
    expect(tokens).toHaveLength(12);
    for (const { logprob, alternatives } of tokens) {
      expect(logprob).toBeLessThanOrEqual(0);
      // A greedily drawn token is the most likely one.
      expect(alternatives[0]?.logprob).toBe(logprob);
      expect(alternatives).toHaveLength(3);
      expect(alternatives.map((other) => other.logprob)).toEqual(
        alternatives.map((other) => other.logprob).sort((a, b) => b - a),
      );
    }
    const bytes = Uint8Array.from(tokens.flatMap((token) => token.bytes));
    expect(new TextDecoder().decode(bytes)).toBe(textOf(events));
  });

  it('generates several choices from one evaluation of the prompt, even more than there are slots', async () => {
    const sampling = { ...greedy, temperature: 1, seed: 9 };
    const request = ask('many ways to say it', { sampling, choices: SLOTS + 4, maxTokens: 8 });
    const events = await generate(engine, request);
    const texts = Array.from({ length: SLOTS + 4 }, (_, choice) =>
      textOf(events.filter((event) => 'choice' in event && event.choice === choice)),
    );
    expect(new Set(texts).size).toBeGreaterThan(SLOTS);
    expect(texts[0]).toBe(textOf(await generate(engine, { ...request, choices: 1 })));
    expect(texts[3]).toBe(
      textOf(await generate(engine, { ...request, choices: 1, sampling: { ...sampling, seed: 12 } })),
    );
    expect(doneOf(events).completionTokens).toBe(8 * (SLOTS + 4));
    const progress = events.filter((event) => event.kind === 'progress');
    expect(progress.at(-1)).toMatchObject({ processed: doneOf(events).promptTokens });
  });

  it('ends a choice before a banned text, and emits nothing of it', async () => {
    const whole = textOf(await generate(engine, ask('hello', { maxTokens: 60 })));
    const banned = whole.slice(20, 26).toUpperCase();
    const events = await generate(engine, ask('hello', { maxTokens: 60, banned: [banned] }));
    expect(events.find((event) => event.kind === 'finish')).toMatchObject({ reason: 'content_filter' });
    expect(textOf(events)).toBe(whole.slice(0, whole.toUpperCase().indexOf(banned)));
  });

  it('keeps to a grammar', async () => {
    const schema = { type: 'object', properties: { answer: { enum: ['yes', 'no'] } }, required: ['answer'] };
    for (const logprobs of [null, 0]) {
      const request = ask('?', { replyFormat: { kind: 'schema', schema, param: 'x' }, logprobs, maxTokens: 100 });
      const events = await generate(engine, request);
      expect(['yes', 'no']).toContain(JSON.parse(textOf(events)).answer);
      expect(events.find((event) => event.kind === 'finish')).toMatchObject({ reason: 'stop' });
    }
  });

  it('tells the tokens of a text and the text of tokens', async () => {
    const { tokens, pieces } = await engine.ask('tokenize', { text: 'hello <|im_end|>', addSpecial: false });
    expect(pieces.join('')).toBe('hello <|im_end|>');
    expect((await engine.ask('detokenize', { tokens })).text).toBe('hello <|im_end|>');
    await expect(engine.ask('detokenize', { tokens: [1_000_000] })).rejects.toMatchObject({ data: { status: 400 } });
    await expect(engine.ask('embed', { inputs: ['x'] })).rejects.toMatchObject({ data: { status: 400 } });
  });
});
