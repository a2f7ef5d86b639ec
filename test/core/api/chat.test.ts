import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/core/api/api.ts';
import { errorBody, modelNotFound, overloaded, unsupportedParameter } from '../../../src/core/errors.ts';
import { createEventQueue } from '../../../src/core/event-queue.ts';
import type { GenerationEvent } from '../../../src/core/events.ts';
import {
  chat,
  chunksOf,
  contentOf,
  createContext,
  createFakeRunner,
  failing,
  finish,
  modelCard,
  ORDINARY,
  parseSse,
  progress,
  readBody,
  readJson,
  streamOf,
} from './fixtures.ts';

const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };

/** The API over a runner that says these events. */
function apiOver(events: () => AsyncIterable<GenerationEvent>) {
  const runner = createFakeRunner(events);
  const made = createContext({ runner });
  return { ...made, runner, api: createApi(made.context) };
}

describe('chat completion', () => {
  it('is one JSON object', async () => {
    const { api } = apiOver(() => streamOf(ORDINARY));
    const reply = await api(chat());
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    const completion = await readJson(reply);
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'tiny',
      system_fingerprint: 'paddock-test',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
    expect(completion.id).toBeTypeOf('string');
    expect(Math.abs(completion.created - Date.now() / 1000)).toBeLessThan(60);
  });

  it('asks the runner for the model and the request', async () => {
    const { api, runner } = apiOver(() => streamOf(ORDINARY));
    await api(chat({ max_tokens: 5, stop: 'END', seed: 3 }));
    expect(runner.asked).toMatchObject([
      {
        modelId: 'tiny',
        request: { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 5, stop: ['END'], sampling: { seed: 3 } },
      },
    ]);
  });

  it('is cancelled when the client goes away, streamed or not', async () => {
    for (const stream of [false, true]) {
      const client = new AbortController();
      const { api, runner } = apiOver(() => streamOf(ORDINARY));
      const replied = api(chat({ stream }, { signal: client.signal }));
      expect(runner.asked[0]?.signal.aborted).toBe(false);
      client.abort();
      expect(runner.asked[0]?.signal.aborted).toBe(true);
      await readBody(await replied);
    }
  });

  it('answers a model that does not exist with 404 and its id', async () => {
    const { api, runner } = apiOver(() => streamOf(ORDINARY));
    const reply = await api(chat({ model: 'org/nope' }));
    expect(reply.status).toBe(404);
    expect(await readJson(reply)).toEqual(errorBody(modelNotFound('org/nope').data));
    expect(runner.asked).toEqual([]);
  });

  it.each([
    ['a wrong field', { temperature: 3 }, 400, null, 'temperature'],
    ['an unsupported field', { prediction: {} }, 400, 'unsupported_parameter', 'prediction'],
  ])('answers %s before it asks the runner, streamed or not', async (_, body, status, code, param) => {
    const { api, runner } = apiOver(() => streamOf(ORDINARY));
    for (const stream of [false, true]) {
      const reply = await api(chat({ ...body, stream }));
      expect(reply.status).toBe(status);
      expect(await readJson(reply)).toMatchObject({ error: { type: 'invalid_request_error', code, param } });
    }
    expect(runner.asked).toEqual([]);
  });

  it('notes fields that nobody defines and goes on', async () => {
    const { api, noted } = apiOver(() => streamOf(ORDINARY));
    expect((await api(chat({ sparkle: 1, user: 'ann' }))).status).toBe(200);
    expect(noted.flat()).toEqual(['sparkle']);
  });

  it('is empty with finish reason length when the prompt does not fit', async () => {
    const { api } = apiOver(() => streamOf([overflow]));
    const reply = await api(chat());
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toMatchObject({
      choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 900, completion_tokens: 0, total_tokens: 900 },
    });
  });

  it('is a 400 when the prompt does not fit and the caller asks for an error, streamed or not', async () => {
    const { api } = apiOver(() => streamOf([overflow]));
    for (const stream of [false, true]) {
      const reply = await api(chat({ context_overflow: 'error', stream }));
      expect(reply.status).toBe(400);
      expect(await readJson(reply)).toMatchObject({ error: { code: 'context_length_exceeded' } });
    }
  });

  it('has the status and headers of an error of the runner, streamed or not', async () => {
    const { api } = apiOver(() => failing([], overloaded('full', 5)));
    for (const stream of [false, true]) {
      const reply = await api(chat({ stream }));
      expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5', 'content-type': 'application/json' } });
      expect(await readJson(reply)).toEqual(errorBody(overloaded('full', 5).data));
    }
  });

  it('tells which parameter the engine lacks', async () => {
    const error = unsupportedParameter('mirostat', 'mirostat is not supported.');
    const { api } = apiOver(() => failing([], error));
    const reply = await api(chat({ mirostat: 2 }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toEqual(errorBody(error.data));
  });

  it('is a plain 500 when the generation breaks or ends without its last event', async () => {
    for (const events of [failing([progress(1, 1)], new Error('secret')), streamOf([progress(1, 1), finish()])]) {
      const { api, errors } = apiOver(() => events);
      const reply = await api(chat());
      expect(reply.status).toBe(500);
      expect(await readBody(reply)).not.toContain('secret');
      expect(errors).toHaveLength(1);
    }
  });
});

describe('streamed chat completion', () => {
  it('is a stream of events', async () => {
    const { api } = apiOver(() => streamOf(ORDINARY));
    const reply = await api(chat({ stream: true }));
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
    const sse = await readBody(reply);
    expect(contentOf(chunksOf(sse))).toBe('Hello');
    expect(parseSse(sse).at(-1)).toBe('[DONE]');
  });

  it('says the same as the reply that is not streamed', async () => {
    const { api } = apiOver(() => streamOf(ORDINARY));
    const whole = await readJson(await api(chat()));
    const chunks = chunksOf(await readBody(await api(chat({ stream: true, stream_options: { include_usage: true } }))));
    expect(contentOf(chunks)).toBe(whole.choices[0].message.content);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(whole.choices[0].finish_reason);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  });

  it("is the model's default when the request does not say", async () => {
    const { context } = createContext({ cards: [modelCard({ parameters: { stream: true } })] });
    const api = createApi(context);
    expect((await api(chat())).headers['content-type']).toMatch(/^text\/event-stream/);
    expect((await api(chat({ stream: false }))).headers['content-type']).toBe('application/json');
  });

  it('tells the usage and every progress when asked to', async () => {
    const { api } = apiOver(() => streamOf(ORDINARY));
    const body = { stream: true, stream_options: { include_usage: true }, return_progress: true };
    const chunks = chunksOf(await readBody(await api(chat(body))));
    expect(chunks.filter(({ prompt_progress }) => prompt_progress)).toHaveLength(2);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
  });

  it('is kept alive by pings while the request waits, and then tells errors in an event', async () => {
    vi.useFakeTimers();
    try {
      const queue = createEventQueue<GenerationEvent>();
      const { api } = apiOver(() => queue);
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
    const { api } = apiOver(() => queue);
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
