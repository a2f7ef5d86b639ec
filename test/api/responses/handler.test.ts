import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import {
  createContext,
  createFakeRunner,
  done,
  finish,
  get,
  modelCard,
  ORDINARY,
  post,
  readBody,
  readJson,
  reasoning,
  streamOf,
  text,
  toolArguments,
  toolCall,
} from '../fixtures.ts';
import { readEvents, respond } from './fixtures.ts';

const CALLING: GenerationEvent[] = [
  reasoning('Hm.'),
  text('Let me see.'),
  toolCall('add'),
  toolArguments('{"a":1}'),
  finish('tool_calls'),
  done(),
];

const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };

function apiOver(events: () => AsyncIterable<GenerationEvent> = () => streamOf(ORDINARY), apiKeys: string[] = []) {
  const runner = createFakeRunner(events, [], { countPrompt: () => ({ tokens: 7 }) });
  const made = createContext({ runner, apiKeys: plainKeys(apiKeys) });
  return { ...made, runner, api: createApi(made.context) };
}

const remove = (id: string, headers: Record<string, string> = {}) => ({
  ...get(`/v1/responses/${id}`, headers),
  method: 'DELETE',
});
const bearer = (key: string) => ({ 'content-type': 'application/json', authorization: `Bearer ${key}` });

describe('a response', () => {
  it('is one JSON object', async () => {
    const { api } = apiOver();
    const reply = await api(respond());
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await readJson(reply)).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'tiny',
      completed_at: expect.any(Number),
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
      usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
    });
  });

  it('is the same streamed as whole, but for ids and times', async () => {
    const { api } = apiOver(() => streamOf(CALLING));
    const whole = await readJson(await api(respond()));
    const streamed = readEvents(await readBody(await api(respond({ stream: true })))).at(-1)?.data.response;
    expect(streamed.output.map((item: { type: string }) => item.type)).toEqual([
      'reasoning',
      'message',
      'function_call',
    ]);
    expect(strip(streamed)).toEqual(strip(whole));
  });

  it('is refused by the fields that nothing here can do, before the runner is asked', async () => {
    const { api, runner } = apiOver();
    for (const [field, value] of Object.entries({
      background: true,
      prompt: { id: 'pmpt_1' },
      moderation: { model: 'm' },
      n: 2,
      best_of: 2,
      max_tokens: 5,
      n_predict: 5,
      return_progress: true,
      context_overflow: 'length',
    })) {
      const reply = await api(respond({ [field]: value }));
      expect(reply.status).toBe(400);
      expect(await readJson(reply)).toMatchObject({ error: { code: 'unsupported_parameter', param: field } });
    }
    expect(runner.asked).toEqual([]);
  });

  it('takes the hints of agents and notes none as unknown', async () => {
    const { api, noted } = apiOver();
    const hints = {
      background: false,
      client_metadata: { a: 'b' },
      include: ['reasoning.encrypted_content'],
      max_tool_calls: 5,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      reasoning: { effort: 'low', summary: 'auto' },
      safety_identifier: 's',
      service_tier: 'auto',
      store: false,
      stream_options: { include_obfuscation: false },
      text: { verbosity: 'low' },
      truncation: 'auto',
      user: 'u',
    };
    expect((await api(respond(hints))).status).toBe(200);
    expect(noted.flat()).toEqual([]);
  });

  it('is refused by its field for images that the model does not take, and for too many', async () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA' };
    const body = (count: number) => ({
      input: [{ role: 'user', content: Array.from({ length: count }, () => image) }],
    });
    const { api } = apiOver();
    expect(await readJson(await api(respond(body(1))))).toMatchObject({
      error: { code: 'unsupported_content', param: 'input[0].content[0]' },
    });
    const seeing = modelCard({ settings: { embedding: false, vision_model: true } });
    const media = {
      openRecording: () => Promise.reject(new Error('no file was sent')),
      read: async () => ({ kind: 'image' as const, bytes: new Uint8Array(1) }),
    };
    const { context } = createContext({ cards: [seeing], media });
    expect((await createApi(context)(respond(body(32)))).status).toBe(200);
    expect(await readJson(await createApi(context)(respond(body(33))))).toMatchObject({
      error: { code: 'too_many_media', param: 'input', message: expect.stringMatching(/^input has too many/) },
    });
  });

  it('is cancelled when its client leaves', async () => {
    const ended = vi.fn();
    const queue = createEventQueue<GenerationEvent>(ended);
    for (const event of ORDINARY) queue.push(event);
    const { api } = apiOver(() => queue);
    const { body } = await api(respond({ stream: true }));
    if (typeof body === 'string') throw new Error('the reply is no stream');
    for await (const _ of body) break;
    expect(ended).toHaveBeenCalledOnce();
  });
});

/** A response without its ids and times. */
function strip({ id, created_at, completed_at, output, ...rest }: Record<string, unknown>): object {
  const bare = (output as Record<string, unknown>[]).map(({ id: _, call_id: __, ...item }) => item);
  return { ...rest, output: bare };
}

describe('a prompt that does not fit', () => {
  const words =
    "The prompt exceeds the context window: this model's maximum context length is 512 tokens, the prompt has 900.";

  it('is a 400 with the words that clients look for, streamed or not', async () => {
    const { api } = apiOver(() => streamOf([overflow]));
    for (const stream of [false, true]) {
      const reply = await api(respond({ stream }));
      expect(reply.status).toBe(400);
      expect(await readJson(reply)).toEqual({
        error: {
          message: words,
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
          param: 'input',
          n_prompt_tokens: 900,
          n_ctx: 512,
        },
      });
    }
  });

  it('fails the response with the same code where pings have begun the stream', async () => {
    vi.useFakeTimers();
    try {
      const queue = createEventQueue<GenerationEvent>();
      const { api } = apiOver(() => queue);
      const waiting = api(respond({ stream: true }));
      await vi.advanceTimersByTimeAsync(10_000);
      const body = readBody(await waiting);
      queue.push(overflow);
      queue.end();
      const events = readEvents(await body);
      expect(events.map(({ event }) => event)).toEqual(['response.created', 'response.in_progress', 'response.failed']);
      expect(events[2]?.data).toMatchObject({
        sequence_number: 2,
        response: { status: 'failed', error: { code: 'context_length_exceeded', message: words } },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is a status like any error before the first event', async () => {
    const { api } = apiOver(() => {
      throw overloaded('full', 5);
    });
    expect(await api(respond({ stream: true }))).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });
});

describe('a stored response', () => {
  it.each([[false], [true]])('comes back until it is deleted; streamed: %j', async (stream) => {
    const { api } = apiOver();
    const reply = await readBody(await api(respond({ stream })));
    const response = stream ? readEvents(reply).at(-1)?.data.response : JSON.parse(reply);
    const found = await api(get(`/v1/responses/${response.id}`));
    expect(found.status).toBe(200);
    expect(await readJson(found)).toEqual(response);
    expect(await readJson(await api(remove(response.id)))).toEqual({
      id: response.id,
      object: 'response',
      deleted: true,
    });
    for (const request of [get(`/v1/responses/${response.id}`), remove(response.id)]) {
      const gone = await api(request);
      expect(gone.status).toBe(404);
      const message = `Response with id '${response.id}' not found.`;
      expect(await readJson(gone)).toMatchObject({ error: { code: 'response_not_found', message } });
    }
  });

  it('is none where store is false', async () => {
    const { api } = apiOver();
    const { id } = await readJson(await api(respond({ store: false })));
    expect((await api(get(`/v1/responses/${id}`))).status).toBe(404);
  });

  it('is whole even where it can not be stored, which the log tells', async () => {
    const { context } = apiOver();
    const warnings: string[] = [];
    const put = () => Promise.reject(new Error('the disk is full'));
    const api = createApi({
      ...context,
      responses: { ...context.responses, put },
      log: { ...context.log, warn: (message) => warnings.push(message) },
    });
    expect(await readJson(await api(respond()))).toMatchObject({ status: 'completed' });
    expect(readEvents(await readBody(await api(respond({ stream: true })))).at(-1)?.event).toBe('response.completed');
    expect(warnings).toEqual(Array.from({ length: 2 }, () => 'a response could not be stored'));
  });

  it('is not streamed again', async () => {
    const { api } = apiOver();
    const { id } = await readJson(await api(respond()));
    const reply = await api({ ...get(`/v1/responses/${id}`), query: 'stream=true' });
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'unsupported_parameter', param: 'stream' } });
  });

  it('is there before its client hears that it has ended', async () => {
    const { api } = apiOver();
    const { body } = await api(respond({ stream: true }));
    if (typeof body === 'string') throw new Error('the reply is no stream');
    for await (const piece of body) {
      const [, id] = /^event: response\.completed\n.*?"id":"(resp_\w+)"/.exec(piece) ?? [];
      if (id) expect((await api(get(`/v1/responses/${id}`))).status).toBe(200);
    }
  });

  it('is there for its own key alone', async () => {
    const { api } = apiOver(undefined, ['sk-one', 'sk-two']);
    const { id, output } = await readJson(await api(respond({}, { headers: bearer('sk-one') })));
    const asked = (key: string) => [
      get(`/v1/responses/${id}`, bearer(key)),
      respond({ previous_response_id: id }, { headers: bearer(key) }),
      respond({ input: [{ type: 'item_reference', id: output[0].id }] }, { headers: bearer(key) }),
      remove(id, bearer(key)),
    ];
    const statuses = async (key: string) => {
      const all: number[] = [];
      for (const request of asked(key)) all.push((await api(request)).status);
      return all;
    };
    expect(await statuses('sk-two')).toEqual([404, 400, 400, 404]);
    expect(await statuses('sk-one')).toEqual([200, 200, 200, 200]);
  });
});

describe('a response to a stored one', () => {
  /** The messages that the runner was asked with last. */
  const messagesOf = ({ asked }: ReturnType<typeof createFakeRunner>) => {
    const prompt = asked.at(-1)?.request.prompt;
    if (prompt?.kind !== 'chat') throw new Error('the prompt is no conversation');
    return prompt.messages;
  };

  it('continues the conversation, calls included, with its own instructions only', async () => {
    const { api, runner } = apiOver(() => streamOf(CALLING));
    const first = await readJson(await api(respond({ instructions: 'Be brief.' })));
    const { call_id } = first.output[2];
    const input = [{ type: 'function_call_output', call_id, output: '2' }];
    const second = await readJson(await api(respond({ previous_response_id: first.id, input })));
    const turn = {
      role: 'assistant',
      reasoning_content: 'Hm.',
      content: 'Let me see.',
      tool_calls: [{ id: call_id, type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
    };
    const soFar = [{ role: 'user', content: 'Hello' }, turn, { role: 'tool', content: '2', tool_call_id: call_id }];
    expect(messagesOf(runner)).toEqual(soFar);
    expect(second.previous_response_id).toBe(first.id);
    await api(remove(first.id));
    await api(respond({ previous_response_id: second.id, input: 'And now?', instructions: 'Rhyme.' }));
    expect(messagesOf(runner).slice(0, 4)).toEqual([{ role: 'system', content: 'Rhyme.' }, ...soFar]);
    expect(messagesOf(runner).at(-1)).toEqual({ role: 'user', content: 'And now?' });
  });

  it('may refer to items by their ids', async () => {
    const { api, runner } = apiOver(() => streamOf(CALLING));
    const { output } = await readJson(await api(respond()));
    const references = output.map(({ id }: { id: string }) => ({ type: 'item_reference', id }));
    const reply = await api(respond({ input: [{ role: 'user', content: 'Hello' }, ...references] }));
    const byReference = messagesOf(runner);
    await api(respond({ input: [{ role: 'user', content: 'Hello' }, ...output] }));
    expect(byReference).toEqual(messagesOf(runner));
    expect(byReference).toHaveLength(2);
    const { id } = await readJson(reply);
    await api(respond({ previous_response_id: id }));
    expect(messagesOf(runner).slice(0, 2)).toEqual(byReference);
  });

  it.each<[string, Record<string, unknown>, string, string, string]>([
    [
      'an unknown response',
      { previous_response_id: 'resp_x' },
      'previous_response_not_found',
      'previous_response_id',
      "Previous response with id 'resp_x' not found.",
    ],
    [
      'an unknown item',
      {
        input: [
          { role: 'user', content: 'a' },
          { type: 'item_reference', id: 'msg_x' },
        ],
      },
      'item_not_found',
      'input[1]',
      "Item with id 'msg_x' not found.",
    ],
  ])('is a 400 for %s, and the runner is not asked', async (_, body, code, param, words) => {
    const { api, runner } = apiOver();
    const reply = await api(respond(body));
    expect(reply.status).toBe(400);
    const { error } = await readJson(reply);
    expect(error).toMatchObject({ code, param });
    expect(error.message).toContain(words);
    expect(runner.asked).toEqual([]);
  });
});

describe('the tokens of an input', () => {
  it('are counted for the very prompt that a response would have', async () => {
    const { api, runner } = apiOver();
    const body = {
      model: 'tiny',
      input: 'Hello',
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'now' }],
    };
    const reply = await api(post('/v1/responses/input_tokens', body));
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({ object: 'response.input_tokens', input_tokens: 7 });
    await api(post('/v1/responses', body));
    expect(runner.questions).toMatchObject([
      { kind: 'countPrompt', question: { prompt: runner.asked[0]?.request.prompt } },
    ]);
  });
});
