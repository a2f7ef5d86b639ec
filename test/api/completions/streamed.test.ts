import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { overloaded, serverError } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import {
  createContext,
  dataLines,
  failing,
  modelCard,
  ORDINARY,
  progress,
  readBody,
  readJson,
  streamOf,
  text,
} from '../fixtures.ts';
import { apiOver, completion, overflow, shouting, textChunksOf, textsOf } from './fixtures.ts';

describe('streamed completion', () => {
  it('is a stream of events that ends with [DONE]', async () => {
    const reply = await apiOver().api(completion({ stream: true }));
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
    const sse = await readBody(reply);
    expect(textsOf(textChunksOf(sse))).toEqual(['Hello']);
    expect(dataLines(sse).at(-1)).toBe('[DONE]');
  });

  it('says the same as the reply that is not streamed', async () => {
    const body = { prompt: ['a', 'b'], n: 2, echo: true };
    const whole = await readJson(await apiOver(shouting).api(completion(body)));
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
    const chunks = textChunksOf(await readBody(await apiOver(shouting).api(completion(streamed))));
    expect(textsOf(chunks)).toEqual(whole.choices.map(({ text }: { text: string }) => text));
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
    expect(chunks.at(-2)?.timings).toEqual(whole.timings);
    const reasons = chunks.flatMap(({ choices }) => choices.filter(({ finish_reason }) => finish_reason !== null));
    expect(reasons.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3]);
  });

  it('is used if the request does not say and the model has it as its default', async () => {
    const { context } = createContext({ cards: [modelCard({ parameters: { stream: true } })] });
    const api = createApi(context);
    expect((await api(completion())).headers['content-type']).toMatch(/^text\/event-stream/);
    expect((await api(completion({ stream: false }))).headers['content-type']).toBe('application/json');
  });

  it('is complete for a prompt that does not fit', async () => {
    const { api } = apiOver(() => streamOf([overflow]));
    const sse = await readBody(await api(completion({ stream: true })));
    expect(textChunksOf(sse).map(({ choices }) => choices)).toEqual([
      [{ index: 0, text: '', logprobs: null, finish_reason: 'length' }],
    ]);
    expect(sse.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('has a status code for an error before its first event', async () => {
    const error = overloaded('full', 5);
    const reply = await apiOver(() => failing([], error)).api(completion({ stream: true }));
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });

  it('ends with an error event and without [DONE] for a later error', async () => {
    const { api, errors } = apiOver(() => failing([progress(1, 1), text('Hel')], new Error('secret')));
    const sse = await readBody(await api(completion({ stream: true })));
    expect(dataLines(sse).at(-1)).toBe(JSON.stringify(errorBody(serverError().data)));
    expect(sse).not.toContain('[DONE]');
    expect(JSON.stringify(errors)).toContain('secret');
  });

  it('is kept alive by pings while the request waits', async () => {
    vi.useFakeTimers();
    try {
      const queue = createEventQueue<GenerationEvent>();
      const waiting = apiOver(() => queue).api(completion({ stream: true }));
      await vi.advanceTimersByTimeAsync(10_000);
      const body = readBody(await waiting);
      await vi.advanceTimersByTimeAsync(10_000);
      for (const event of ORDINARY) queue.push(event);
      queue.end();
      expect(await body).toMatch(/^: ping\n\n: ping\n\ndata: \{/);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends every generation when the client stops reading', async () => {
    const { api, runner, errors } = apiOver((_, signal) => {
      const queue = createEventQueue<GenerationEvent>();
      queue.push(text('a'));
      signal.addEventListener('abort', () => queue.end());
      return queue;
    });
    const { body } = await api(completion({ stream: true, prompt: ['a', 'b', 'c'] }));
    if (typeof body === 'string') throw new Error('the reply is no stream');
    for await (const _ of body) break;
    expect(runner.asked.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect(errors).toEqual([]);
  });
});
