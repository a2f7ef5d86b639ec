import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, openai, postChat, postJson } from '../target.ts';

const CONTINUED = { continue_final_message: true, add_generation_prompt: false };

export const chatCases: ContractCase[] = [
  {
    name: 'answers the openai client with a whole chat completion',
    check: async (target) => {
      const before = Math.floor(Date.now() / 1000);
      const completion = await openai(target).chat.completions.create({
        model: 'tiny',
        messages: [{ role: 'user', content: 'hello' }],
        temperature: 0,
        max_tokens: 16,
      });
      expect(completion).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-\w+$/),
        object: 'chat.completion',
        model: 'tiny',
        system_fingerprint: expect.any(String),
        choices: [{ index: 0, message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'length' }],
      });
      expect(completion.created).toBeGreaterThanOrEqual(before);
      expect(completion.choices[0]?.message.content).not.toBe('');
    },
  },
  {
    name: 'counts the tokens in usage and times them in timings',
    check: async (target) => {
      const { body } = await postChat(target, chatBody());
      const { prompt_tokens, completion_tokens, total_tokens } = body.usage;
      expect(completion_tokens).toBe(16);
      expect(prompt_tokens).toBeGreaterThan(4);
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
      expect(body.timings).toMatchObject({ predicted_n: 16, predicted_ms: expect.any(Number) });
    },
  },
  {
    name: 'gives every completion an id of its own',
    check: async (target) => {
      const replies = await Promise.all([postChat(target, chatBody()), postChat(target, chatBody())]);
      expect(new Set(replies.map(({ body }) => body.id)).size).toBe(2);
    },
  },
  {
    name: 'ends with stop when the model ends its turn',
    check: async (target) => {
      const { body } = await postChat(target, chatBody({ model: 'shelf/brief', max_tokens: null }));
      expect(body.choices[0].finish_reason).toBe('stop');
      expect(body.usage.completion_tokens).toBeLessThan(900);
      expect(body.choices[0].message.content).not.toContain('<|im_end|>');
    },
  },
  {
    name: 'ends with length when the context window is full',
    check: async (target) => {
      const { body } = await postChat(target, chatBody({ max_tokens: null }));
      expect(body.choices[0].finish_reason).toBe('length');
      expect(body.usage.total_tokens).toBeGreaterThanOrEqual(1022);
      expect(body.usage.total_tokens).toBeLessThanOrEqual(1024);
    },
  },
  {
    name: 'goes on with the last message from its last character, and refuses what it can not go on with',
    byApiAlone: true,
    check: async (target) => {
      const goOn = (last: object, more = {}) =>
        postChat(target, chatBody({ messages: [{ role: 'user', content: 'hello' }, last], ...CONTINUED, ...more }));
      const said = { role: 'assistant', content: ' Once upon a ti' };
      const prompt = `<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n${said.content}`;
      const { body } = await postJson(target, '/v1/completions', chatBody({ messages: undefined, prompt }));
      const { body: rest } = await goOn(said);
      expect(rest.choices[0].message.content).toBe(body.choices[0].text);
      expect(rest.usage.prompt_tokens).toBe(body.usage.prompt_tokens);
      const calls = [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }];
      for (const last of [
        { role: 'user', content: 'more' },
        { role: 'assistant', content: '' },
        { ...said, tool_calls: calls },
      ]) {
        const { status, body } = await goOn(last);
        expect([status, body.error.param]).toEqual([400, 'messages[1]']);
      }
      expect((await goOn(said, { add_generation_prompt: true })).status).toBe(400);
      expect((await goOn(said, { response_format: { type: 'json_object' } })).status).toBe(400);
    },
  },
  {
    name: 'takes max_completion_tokens for max_tokens',
    byApiAlone: true,
    check: async (target) => {
      const { body } = await postChat(target, chatBody({ max_tokens: undefined, max_completion_tokens: 3 }));
      expect(body.usage.completion_tokens).toBe(3);
    },
  },
  {
    name: 'answers a prompt longer than the context window with an empty reply, finish_reason length and the true count',
    check: async (target) => {
      const messages = [{ role: 'user', content: 'q'.repeat(3000) }];
      const { status, body } = await postChat(target, chatBody({ messages }));
      expect(status).toBe(200);
      expect(body.choices[0]).toMatchObject({ message: { role: 'assistant', content: '' }, finish_reason: 'length' });
      expect(body.usage.prompt_tokens).toBeGreaterThan(3000);
      expect(body.usage.completion_tokens).toBe(0);
    },
  },
  {
    name: 'answers such a prompt with a 400 and both counts where context_overflow is error, streamed or not',
    byApiAlone: true,
    check: async (target) => {
      const messages = [{ role: 'user', content: 'q'.repeat(3000) }];
      for (const stream of [false, true]) {
        const { status, body } = await postChat(target, chatBody({ messages, context_overflow: 'error', stream }));
        expect(status).toBe(400);
        expect(body.error.code).toBe('context_length_exceeded');
        expect(body.error.message).toMatch(/1024 tokens, the prompt has 30\d\d/);
      }
    },
  },
  {
    name: 'renders the whole conversation: each role and each turn changes the reply',
    byApiAlone: true,
    check: async (target) => {
      const conversations = [
        [{ role: 'user', content: 'hello' }],
        [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hello' },
        ],
        [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: 'hi' },
          { role: 'user', content: 'hello' },
        ],
      ];
      const contents = [];
      for (const messages of conversations) {
        contents.push((await postChat(target, chatBody({ messages }))).body.choices[0].message.content);
      }
      expect(new Set(contents).size).toBe(3);
    },
  },
  {
    name: 'takes the developer role for system, and text parts for their text',
    byApiAlone: true,
    check: async (target) => {
      const asSystem = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'one two' },
      ];
      const asParts = [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one ' },
            { type: 'text', text: 'two' },
          ],
        },
      ];
      const [plain, parts] = await Promise.all(
        [asSystem, asParts].map((messages) => postChat(target, chatBody({ messages }))),
      );
      expect(parts?.body.choices[0].message.content).toBe(plain?.body.choices[0].message.content);
    },
  },
  {
    name: 'continues a conversation with tool calls and their results',
    byApiAlone: true,
    check: async (target) => {
      const messages = [
        { role: 'user', content: 'weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      ];
      const { status, body } = await postChat(target, chatBody({ messages }));
      expect(status).toBe(200);
      expect(body.usage.completion_tokens).toBe(16);
    },
  },
  {
    name: 'reuses the beginning of a prompt that it has seen, and says how much; cache_prompt false does not',
    check: async (target) => {
      const messages = [{ role: 'user', content: `remember this: ${'lorem ipsum '.repeat(20)}` }];
      await postChat(target, chatBody({ messages }));
      const again = (await postChat(target, chatBody({ messages }))).body;
      const anew = (await postChat(target, chatBody({ messages, cache_prompt: false }))).body;
      expect(again.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(100);
      expect(anew.usage.prompt_tokens_details.cached_tokens).toBe(0);
      expect(anew.choices[0].message.content).toBe(again.choices[0].message.content);
    },
  },
  {
    name: 'takes the name of a conversation, which does not change the reply, in prompt_cache_key or a session header',
    check: async (target) => {
      const replyTo = async (more: Record<string, unknown>, headers: Record<string, string> = {}) =>
        (await postChat(target, chatBody(more), { headers })).body.choices[0].message;
      const nameless = await replyTo({});
      expect(await replyTo({ prompt_cache_key: 'ada' })).toEqual(nameless);
      expect(await replyTo({}, { 'x-session-id': 'ada' })).toEqual(nameless);
    },
  },
];
