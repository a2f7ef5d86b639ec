import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import {
  chat,
  chunksOf,
  contentOf,
  createContext,
  createFakeRunner,
  modelCard,
  ORDINARY,
  parseSse,
  readBody,
  readJson,
  streamOf,
} from '../fixtures.ts';

/** The API over a runner that says these events. */
const apiOver = (events: () => AsyncIterable<GenerationEvent>) =>
  createApi(createContext({ runner: createFakeRunner(events) }).context);

describe('streamed chat completion', () => {
  it('is a stream of events', async () => {
    const api = apiOver(() => streamOf(ORDINARY));
    const reply = await api(chat({ stream: true }));
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
    const sse = await readBody(reply);
    expect(contentOf(chunksOf(sse))).toBe('Hello');
    expect(parseSse(sse).at(-1)).toBe('[DONE]');
  });

  it('says the same as the reply that is not streamed', async () => {
    const api = apiOver(() => streamOf(ORDINARY));
    const whole = await readJson(await api(chat()));
    const chunks = chunksOf(await readBody(await api(chat({ stream: true, stream_options: { include_usage: true } }))));
    expect(contentOf(chunks)).toBe(whole.choices[0].message.content);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(whole.choices[0].finish_reason);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  });

  it('is used if the request does not say and the model has it as its default', async () => {
    const { context } = createContext({ cards: [modelCard({ parameters: { stream: true } })] });
    const api = createApi(context);
    expect((await api(chat())).headers['content-type']).toMatch(/^text\/event-stream/);
    expect((await api(chat({ stream: false }))).headers['content-type']).toBe('application/json');
  });

  it('has the usage and every progress if asked to', async () => {
    const api = apiOver(() => streamOf(ORDINARY));
    const body = { stream: true, stream_options: { include_usage: true }, return_progress: true };
    const chunks = chunksOf(await readBody(await api(chat(body))));
    expect(chunks.filter(({ prompt_progress }) => prompt_progress)).toHaveLength(2);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
  });

  it('is kept alive by pings while the request waits, and then sends errors as events', async () => {
    vi.useFakeTimers();
    try {
      const queue = createEventQueue<GenerationEvent>();
      const api = apiOver(() => queue);
      const waiting = api(chat({ stream: true }));
      await vi.advanceTimersByTimeAsync(10_000);
      const reply = await waiting;
      expect(reply.status).toBe(200);
      const body = readBody(reply);
      await vi.advanceTimersByTimeAsync(10_000);
      queue.fail(overloaded('full', 5));
      expect(await body).toBe(`: ping\n\n: ping\n\ndata: ${JSON.stringify(errorBody(overloaded('full', 5).data))}\n\n`);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends the generation when the client stops reading', async () => {
    const ended = vi.fn();
    const queue = createEventQueue<GenerationEvent>(ended);
    for (const event of ORDINARY) queue.push(event);
    const api = apiOver(() => queue);
    const { body } = await api(chat({ stream: true }));
    if (typeof body === 'string') throw new Error('the reply is no stream');
    for await (const _ of body) break;
    expect(ended).toHaveBeenCalledOnce();
  });

  it('cancels the generation when the client stops reading while the request waits', async () => {
    vi.useFakeTimers();
    try {
      const cancelled = vi.fn();
      const queue = createEventQueue<GenerationEvent>(cancelled);
      const runner = createFakeRunner((_, signal) => {
        signal.addEventListener('abort', cancelled, { once: true });
        return queue;
      });
      const waiting = createApi(createContext({ runner }).context)(chat({ stream: true }));
      await vi.advanceTimersByTimeAsync(10_000);
      const { body } = await waiting;
      if (typeof body === 'string') throw new Error('the reply is no stream');
      const stream = body[Symbol.asyncIterator]();
      expect(await stream.next()).toEqual({ value: ': ping\n\n', done: false });
      void stream.return?.();
      await vi.advanceTimersByTimeAsync(0);
      expect(cancelled).toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});
