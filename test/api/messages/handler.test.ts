import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import {
  createContext,
  createFakeRunner,
  failing,
  modelCard,
  ORDINARY,
  post,
  progress,
  readBody,
  readJson,
  streamOf,
  text,
} from '../fixtures.ts';
import { eventsOf, message, messageBody } from './fixtures.ts';

/** Makes the API over a runner that yields these events. */
function apiOver(events: () => AsyncIterable<GenerationEvent> = () => streamOf(ORDINARY)) {
  const runner = createFakeRunner(events, [], { countPrompt: () => ({ tokens: 36 }) });
  const made = createContext({ runner });
  return { ...made, runner, api: createApi(made.context) };
}

const count = (more: Record<string, unknown> = {}) => post('/v1/messages/count_tokens', messageBody(more));

describe('a message', () => {
  it('is one JSON object', async () => {
    const { api } = apiOver();
    const reply = await api(message());
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await readJson(reply)).toMatchObject({
      id: expect.stringMatching(/^msg_\w{24}$/),
      type: 'message',
      model: 'tiny',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    });
  });

  it('says the same as a stream', async () => {
    const { api } = apiOver();
    const whole = await readJson(await api(message()));
    const reply = await api(message({ stream: true }));
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('text/event-stream') },
    });
    const events = eventsOf(await readBody(reply));
    const said = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    );
    expect(said.join('')).toBe(whole.content[0].text);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: whole.stop_reason } });
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
  });

  it('streams only where the request says so, whatever the model has as its default', async () => {
    const { context } = createContext({ cards: [modelCard({ parameters: { stream: true } })] });
    expect((await createApi(context)(message())).headers['content-type']).toBe('application/json');
  });

  it('takes the query and the headers of the beta', async () => {
    const { api, noted } = apiOver();
    const headers = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
    };
    const body = { metadata: { user_id: 'a' }, context_management: { edits: [] }, betas: [] };
    expect(await api(message(body, { query: 'beta=true', headers }))).toMatchObject({ status: 200 });
    expect(noted.flat()).toEqual([]);
  });

  it.each(['container', 'mcp_servers'])('refuses %s, which would change the reply', async (field) => {
    const { api, runner } = apiOver();
    const reply = await api(message({ [field]: [{ type: 'url' }] }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({
      error: { message: `${field} is not supported.`, details: { error_code: 'unsupported_parameter' } },
    });
    expect(runner.asked).toEqual([]);
  });

  it('has the id of the request, also under the name that the SDK looks for', async () => {
    const { api } = apiOver();
    const headers = { 'content-type': 'application/json', 'x-request-id': 'mine' };
    for (const body of [{}, { model: 'none' }]) {
      const reply = await api(message(body, { headers }));
      expect(reply.headers).toMatchObject({ 'x-request-id': 'mine', 'request-id': 'mine' });
      if (reply.status !== 200) expect(await readJson(reply)).toMatchObject({ request_id: 'mine' });
    }
  });

  it('is a 404 of a model that is not there, such as those that Claude Code asks for besides', async () => {
    const reply = await apiOver().api(message({ model: 'claude-sonnet-4-5' }));
    expect(reply.status).toBe(404);
    expect(await readJson(reply)).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });

  it('is a 400 when the prompt does not fit, in the words that clients look for, streamed or not', async () => {
    const { api } = apiOver(() => streamOf([{ kind: 'overflow', promptTokens: 36_570, contextLength: 1024 }]));
    for (const stream of [false, true]) {
      const reply = await api(message({ stream }));
      expect(reply.status).toBe(400);
      expect(await readJson(reply)).toMatchObject({
        error: { type: 'invalid_request_error', message: 'prompt is too long: 36570 tokens > 1024 maximum' },
      });
    }
  });

  it('is a 529 when the queue is full, streamed or not', async () => {
    const { api } = apiOver(() => failing([], overloaded('full', 5)));
    for (const stream of [false, true]) {
      const reply = await api(message({ stream }));
      expect(reply).toMatchObject({ status: 529, headers: { 'retry-after': '5' } });
      expect(await readJson(reply)).toMatchObject({ error: { type: 'overloaded_error', message: 'full' } });
    }
  });

  it('ends with an event of the error that comes midway, and without message_stop', async () => {
    const { api, errors } = apiOver(() => failing([progress(1, 1), text('Hel')], new Error('secret')));
    const sse = await readBody(await api(message({ stream: true })));
    expect(sse).not.toContain('secret');
    const events = eventsOf(sse);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'error',
    ]);
    expect(events.at(-1)).toMatchObject({ error: { type: 'api_error' }, request_id: expect.any(String) });
    expect(errors).toHaveLength(1);
  });

  it('is kept alive by pings while it waits, and then tells errors by events', async () => {
    vi.useFakeTimers();
    try {
      const queue = createEventQueue<GenerationEvent>();
      const waiting = apiOver(() => queue).api(message({ stream: true }));
      await vi.advanceTimersByTimeAsync(10_000);
      const body = readBody(await waiting);
      await vi.advanceTimersByTimeAsync(10_000);
      queue.fail(overloaded('full', 5));
      expect(eventsOf(await body)).toMatchObject([
        { type: 'ping' },
        { type: 'ping' },
        { type: 'error', error: { type: 'overloaded_error', message: 'full' } },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('counting tokens', () => {
  it('counts those of the prompt that the conversation becomes', async () => {
    const { api, runner } = apiOver();
    const tools = [{ name: 'add', input_schema: { type: 'object' } }];
    const reply = await api(count({ system: 'Be kind.', tools }));
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({ input_tokens: 36 });
    expect(runner.questions).toMatchObject([
      {
        modelId: 'tiny',
        kind: 'countPrompt',
        question: {
          prompt: {
            kind: 'chat',
            messages: [
              { role: 'system', content: 'Be kind.' },
              { role: 'user', content: 'Hello' },
            ],
            tools: [{ name: 'add' }],
          },
        },
      },
    ]);
  });

  it('answers errors as messages do', async () => {
    const reply = await apiOver().api(count({ messages: 5 }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'messages must be an array of messages.' },
    });
  });
});
