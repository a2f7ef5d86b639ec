import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import { eventually } from '../../kit/eventually.ts';
import {
  createContext,
  createFakeRunner,
  done,
  failing,
  finish,
  ORDINARY,
  progress,
  readBody,
  readJson,
  streamOf,
  text,
} from '../fixtures.ts';
import { apiOver, completion, overflow, shouting } from './fixtures.ts';

describe('completion', () => {
  it('is one JSON object', async () => {
    const reply = await apiOver().api(completion());
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await readJson(reply)).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: 'text_completion',
      created: expect.any(Number),
      model: 'tiny',
      system_fingerprint: 'paddock-test',
      choices: [{ index: 0, text: 'Hello', logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
      timings: { predicted_n: 3 },
    });
  });

  it('asks the engine for 16 tokens after the unchanged text', async () => {
    const { api, runner } = apiOver();
    await api(completion());
    expect(runner.asked).toMatchObject([
      { modelId: 'tiny', request: { prompt: { kind: 'text', text: 'Once' }, maxTokens: 16, choices: 1 } },
    ]);
  });

  it("bans the texts of the server's filter", async () => {
    const runner = createFakeRunner();
    const { context } = createContext({ runner, contentFilter: ['secret'] });
    await createApi(context)(completion());
    expect(runner.asked[0]?.request.banned).toEqual(['secret']);
  });

  it('has the choices of all prompts, prompt by prompt, and the tokens of all', async () => {
    const reply = await readJson(await apiOver(shouting).api(completion({ prompt: ['a', 'b', 'c'], n: 2 })));
    expect(reply.choices.map(({ index, text }: { index: number; text: string }) => [index, text])).toEqual([
      [0, 'A0'],
      [1, 'A1'],
      [2, 'B0'],
      [3, 'B1'],
      [4, 'C0'],
      [5, 'C1'],
    ]);
    expect(reply.usage).toMatchObject({
      prompt_tokens: 6,
      completion_tokens: 6,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 3 },
    });
  });

  it.each<[unknown, string[]]>([
    ['Once', ['OnceHello']],
    [
      ['a', 'b'],
      ['aHello', 'bHello'],
    ],
    [[1, 2], ['<1,2>Hello']],
    [
      [[1], [2]],
      ['<1>Hello', '<2>Hello'],
    ],
  ])('begins with the prompt %j if echo is set', async (prompt, expected) => {
    const { choices } = await readJson(await apiOver().api(completion({ prompt, echo: true })));
    expect(choices.map(({ text }: { text: string }) => text)).toEqual(expected);
  });

  it('begins every choice of a prompt with it', async () => {
    const { choices } = await readJson(
      await apiOver(shouting).api(completion({ prompt: ['a', 'b'], n: 2, echo: true })),
    );
    expect(choices.map(({ text }: { text: string }) => text)).toEqual(['aA0', 'aA1', 'bB0', 'bB1']);
  });

  it('fills the gap before a suffix, and echoes what is before it', async () => {
    const { api, runner } = apiOver();
    const { choices } = await readJson(await api(completion({ suffix: ' end', echo: true })));
    expect(runner.asked[0]?.request.prompt).toEqual({ kind: 'infill', prefix: 'Once', suffix: ' end' });
    expect(choices[0].text).toBe('OnceHello');
  });

  it('has the logprobs of its tokens when asked for', async () => {
    const token = (piece: string) => ({ text: piece, bytes: [...Buffer.from(piece)], logprob: -1, alternatives: [] });
    const events = [
      { ...text('Hel'), logprobs: [token('Hel')] },
      { ...text('lo'), logprobs: [token('l'), token('o')] },
      finish(),
      done(),
    ];
    const { api, runner } = apiOver(() => streamOf(events));
    const { choices } = await readJson(await api(completion({ logprobs: 2 })));
    expect(runner.asked[0]?.request.logprobs).toBe(2);
    expect(choices[0].logprobs).toEqual({
      tokens: ['Hel', 'l', 'o'],
      token_logprobs: [-1, -1, -1],
      top_logprobs: [{ Hel: -1 }, { l: -1 }, { o: -1 }],
      text_offset: [0, 3, 4],
    });
  });

  it('is empty for a prompt that does not fit: finish reason length and the true count', async () => {
    const { api } = apiOver(() => streamOf([overflow]));
    expect(await readJson(await api(completion({ n: 2 })))).toMatchObject({
      choices: [
        { index: 0, text: '', finish_reason: 'length' },
        { index: 1, text: '', finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 900, completion_tokens: 0 },
    });
  });

  it('is a 400 for a prompt that does not fit when asked to', async () => {
    const { api } = apiOver(({ prompt }) =>
      streamOf(prompt.kind === 'text' && prompt.text === 'b' ? [overflow] : ORDINARY),
    );
    const reply = await api(completion({ prompt: ['a', 'b'], context_overflow: 'error' }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'context_length_exceeded', param: 'prompt' } });
  });

  it.each([
    ['tools', []],
    ['messages', []],
    ['response_format', { type: 'json_object' }],
    ['max_completion_tokens', 5],
    ['top_logprobs', 2],
    ['min_tokens', 3],
    ['best_of', 2],
  ])('is refused with %s, which would be ignored silently', async (field, value) => {
    const { api, runner } = apiOver();
    const reply = await api(completion({ [field]: value }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'unsupported_parameter', param: field } });
    expect(runner.asked).toEqual([]);
  });

  it.each([
    [{ grammar: 'root ::= "x"' }, { kind: 'grammar', grammar: 'root ::= "x"', param: 'grammar' }],
    [{ guided_choice: ['a', 'b'] }, { kind: 'choice', texts: ['a', 'b'], param: 'guided_choice' }],
    [{ guided_json: {} }, { kind: 'schema', schema: {}, param: 'guided_json' }],
    [{}, { kind: 'text' }],
  ])('has the form of %j', async (fields, replyFormat) => {
    const { api, runner } = apiOver();
    expect((await api(completion(fields))).status).toBe(200);
    expect(runner.asked[0]?.request).toMatchObject({ replyFormat });
  });

  it('accepts and notes unknown fields', async () => {
    const { api, noted } = apiOver();
    expect((await api(completion({ sparkle: 1, user: 'ann' }))).status).toBe(200);
    expect(noted).toEqual([['sparkle']]);
  });

  it('is a 404 for an unknown model', async () => {
    expect((await apiOver().api(completion({ model: 'nope' }))).status).toBe(404);
  });

  it('fails on an event that only chats have', async () => {
    const { api } = apiOver(() => streamOf<GenerationEvent>([{ kind: 'reasoning', choice: 0, text: 'Hm' }, done()]));
    expect((await api(completion())).status).toBe(500);
  });

  it("fails with the engine's error, even if only one of several prompts fails, and cancels the others", async () => {
    const error = overloaded('full', 5);
    const cancelled = vi.fn();
    const { api, errors } = apiOver(({ prompt }, signal) => {
      if (prompt.kind === 'text' && prompt.text === 'b') return failing([progress(1, 1)], error);
      const queue = createEventQueue<GenerationEvent>();
      signal.addEventListener('abort', cancelled);
      return queue;
    });
    const reply = await api(completion({ prompt: ['a', 'b'] }));
    expect(reply.status).toBe(503);
    expect(await readJson(reply)).toEqual(errorBody(error.data));
    expect(cancelled).toHaveBeenCalled();
    expect(errors).toEqual([]);
  });

  it('is a plain 500 if the generation fails or ends without its last event', async () => {
    for (const events of [failing([], new Error('secret')), streamOf([progress(1, 1), finish()])]) {
      const { api, errors } = apiOver(() => events);
      const reply = await api(completion());
      expect(reply.status).toBe(500);
      expect(await readBody(reply)).not.toContain('secret');
      expect(errors).toHaveLength(1);
    }
  });

  it('is cancelled when the client leaves', async () => {
    const client = new AbortController();
    const { api, runner } = apiOver((_, signal) => {
      const queue = createEventQueue<GenerationEvent>();
      signal.addEventListener('abort', () => queue.end());
      return queue;
    });
    const reply = api(completion({}, { signal: client.signal }));
    await eventually(() => expect(runner.asked).toHaveLength(1));
    client.abort();
    await reply;
    expect(runner.asked[0]?.signal.aborted).toBe(true);
  });
});
