import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { modelNotFound, overloaded, unsupportedParameter } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import {
  chat,
  createContext,
  createFakeRunner,
  done,
  failing,
  finish,
  ORDINARY,
  progress,
  readBody,
  readJson,
  reasoning,
  streamOf,
  text,
  tokenLogprob,
  toolArguments,
  toolCall,
} from '../fixtures.ts';

/** The events of a reply that has everything in it. */
const CALLING: GenerationEvent[] = [
  progress(1, 1),
  reasoning('Hm.'),
  { ...text('Let me see.'), logprobs: [tokenLogprob('Let me see.', 'No.')] },
  toolCall('add'),
  toolArguments('{"a":'),
  toolArguments(' 1}'),
  finish('tool_calls'),
  done(),
];

const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };

/** Makes the API over a runner that yields these events. */
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
        request: {
          prompt: { kind: 'chat', messages: [{ role: 'user', content: 'Hello' }] },
          maxTokens: 5,
          stop: ['END'],
          sampling: { seed: 3 },
        },
      },
    ]);
  });

  it('is cancelled when the client goes away, streamed or not', async () => {
    for (const stream of [false, true]) {
      const client = new AbortController();
      let begin: () => void = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const { api, runner } = apiOver(() => {
        begin();
        return streamOf(ORDINARY);
      });
      const replied = api(chat({ stream }, { signal: client.signal }));
      await begun;
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
    ['a wrong field', { temperature: 3 }, 400, 'invalid_request', 'temperature'],
    ['an unsupported field', { audio: {} }, 400, 'unsupported_parameter', 'audio'],
  ])('answers %s before it asks the runner, streamed or not', async (_, body, status, code, param) => {
    const { api, runner } = apiOver(() => streamOf(ORDINARY));
    for (const stream of [false, true]) {
      const reply = await api(chat({ ...body, stream }));
      expect(reply.status).toBe(status);
      expect(await readJson(reply)).toMatchObject({ error: { type: 'invalid_request_error', code, param } });
    }
    expect(runner.asked).toEqual([]);
  });

  it('refuses modalities other than text', async () => {
    const { api, runner } = apiOver(() => streamOf(ORDINARY));
    const reply = await api(chat({ modalities: ['text', 'audio'] }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'unsupported_parameter', param: 'modalities' } });
    expect(runner.asked).toEqual([]);
    for (const modalities of [['text'], null]) expect((await api(chat({ modalities }))).status).toBe(200);
  });

  it('accepts fields that can not change the reply', async () => {
    const { api, noted } = apiOver(() => streamOf(ORDINARY));
    const body = { user: 'ann', metadata: { a: 'b' }, store: true, service_tier: 'auto' };
    expect((await api(chat(body))).status).toBe(200);
    expect(noted.flat()).toEqual([]);
  });

  it('passes the filter of the server to the runner', async () => {
    const runner = createFakeRunner();
    await createApi(createContext({ runner, contentFilter: ['secret'] }).context)(chat());
    expect(runner.asked).toMatchObject([{ request: { banned: ['secret'] } }]);
  });

  it('tells tool calls, reasoning and logprobs', async () => {
    const { api } = apiOver(() => streamOf(CALLING));
    expect(await readJson(await api(chat()))).toMatchObject({
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'Let me see.',
            reasoning_content: 'Hm.',
            tool_calls: [
              { id: expect.any(String), type: 'function', function: { name: 'add', arguments: '{"a": 1}' } },
            ],
          },
          logprobs: { content: [{ token: 'Let me see.', logprob: -0.5, top_logprobs: [{ token: 'No.' }] }] },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it('has the requested number of choices, even if the prompt does not fit', async () => {
    const several = [progress(1, 1), text('a', 1), text('b', 0), finish('stop', 1), finish('length', 0), done()];
    const { api, runner } = apiOver(() => streamOf(several));
    expect((await readJson(await api(chat({ n: 2 })))).choices).toMatchObject([
      { index: 0, message: { content: 'b' }, finish_reason: 'length' },
      { index: 1, message: { content: 'a' }, finish_reason: 'stop' },
    ]);
    expect(runner.asked).toMatchObject([{ request: { choices: 2 } }]);
    const empty = apiOver(() => streamOf([overflow]));
    const choices = (await readJson(await empty.api(chat({ n: 3 })))).choices;
    expect(choices.map(({ finish_reason }: { finish_reason: string }) => finish_reason)).toEqual(
      Array(3).fill('length'),
    );
  });

  it('notes unknown fields and goes on', async () => {
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

  it('names the parameter that the engine does not support', async () => {
    const error = unsupportedParameter('mirostat', 'mirostat is not supported.');
    const { api } = apiOver(() => failing([], error));
    const reply = await api(chat({ mirostat: 2 }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toEqual(errorBody(error.data));
  });

  it('is a plain 500 if the generation fails or ends without its last event', async () => {
    for (const events of [failing([progress(1, 1)], new Error('secret')), streamOf([progress(1, 1), finish()])]) {
      const { api, errors } = apiOver(() => events);
      const reply = await api(chat());
      expect(reply.status).toBe(500);
      expect(await readBody(reply)).not.toContain('secret');
      expect(errors).toHaveLength(1);
    }
  });
});
