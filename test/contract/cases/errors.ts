import { AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, openai, postChat, whileFull } from '../target.ts';

/** Bad values, and what the message must say besides the field's name. */
const BAD_FIELDS: [field: string, value: unknown, says: RegExp][] = [
  ['model', 5, /string/],
  ['messages', 'hello', /array/],
  ['messages', [], /at least 1/],
  ['messages[0].role', [{ role: 'wizard', content: 'x' }], /system.*user.*assistant.*tool/],
  ['messages[0].content', [{ role: 'user', content: 5 }], /string or an array/],
  ['messages[0].content[0].type', [{ role: 'user', content: [{ type: 'video' }] }], /text, image_url, input_audio/],
  ['messages[0].content[0].text', [{ role: 'user', content: [{ type: 'text' }] }], /required/],
  ['messages[0].content[0].image_url', [{ role: 'user', content: [{ type: 'image_url' }] }], /required/],
  [
    'messages[0].content[0].image_url',
    [{ role: 'user', content: [{ type: 'image_url', image_url: 5 }] }],
    /object with url/,
  ],
  ['messages[0].content', [{ role: 'user' }], /required/],
  [
    'messages[0].content[0].image_url.detail',
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', detail: 'full' } }] }],
    /auto, low, high/,
  ],
  [
    'messages[0].content[0].input_audio',
    [{ role: 'user', content: [{ type: 'text', text: 'x', input_audio: { data: 'AA==', format: 'wav' } }] }],
    /payload of its type alone/,
  ],
  [
    'messages[0].content[0].input_audio.format',
    [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'flac' } }] }],
    /wav, mp3/,
  ],
  ['messages[0].tool_calls', [{ role: 'assistant', tool_calls: 'x' }], /array/],
  ['temperature', 'warm', /between 0 and 2/],
  ['temperature', 2.1, /between 0 and 2/],
  ['temperature', -0.1, /between 0 and 2/],
  ['max_tokens', 0, /at least 1/],
  ['max_tokens', 1.5, /integer/],
  ['top_p', 1.1, /between 0 and 1/],
  ['top_k', -2, /at least -1/],
  ['min_p', -1, /between 0 and 1/],
  ['stream', 'yes', /boolean/],
  ['stop', ['a', 'b', 'c', 'd', 'e'], /at most 4/],
  ['stop', 5, /string/],
  ['presence_penalty', 2.5, /between -2 and 2/],
  ['frequency_penalty', -2.5, /between -2 and 2/],
  ['repeat_penalty', 'x', /number/],
  ['repeat_last_n', -2, /at least -1/],
  ['seed', 'x', /integer/],
  ['tools', 'x', /array/],
  ['tools[0].type', [{ type: 'x' }], /function/],
  ['tools[0].function.name', [{ type: 'function', function: { name: '' } }], /empty/],
  ['tools[0].function.name', [{ type: 'function', function: { description: 'x' } }], /required/],
  ['tools[1].function.name', Array(2).fill({ type: 'function', function: { name: 'add' } }), /'add'/],
  ['tool_choice', 'maybe', /none, auto, required/],
  ['dynatemp_range', -1, /between 0/],
  ['dynatemp_exponent', 'x', /number/],
  ['typical_p', 2, /between 0 and 1/],
  ['mirostat', 3, /0, 1 or 2/],
  ['mirostat_tau', 'x', /number/],
  ['mirostat_eta', 'x', /number/],
  ['logit_bias', [], /object/],
  ['logit_bias.x', { x: 1 }, /token id/],
  ['logit_bias.1', { 1: 101 }, /between -100 and 100/],
  ['logit_bias', { 99999999: 1 }, /vocabulary/],
  ['cache_prompt', 1, /boolean/],
  ['prompt_cache_key', 1, /string/],
  ['lora', 'style', /array of objects/],
  ['lora[0]', ['style'], /object with id and scale/],
  ['lora[0].id', [{ scale: 1 }], /required/],
  ['lora[0].id', [{ id: -1, scale: 1 }], /at least 0/],
  ['lora[0].scale', [{ id: 0 }], /required/],
  ['lora[0].scale', [{ id: 0, scale: 101 }], /between -100 and 100/],
  ['n', 9, /between 1 and 8/],
  ['top_logprobs', 2, /logprobs to be true/],
  ['user', 5, /string/],
];

export const errorCases: ContractCase[] = [
  {
    name: 'answers every field of a wrong type or out of range with a 400 that names the field and the limit',
    byApiAlone: true,
    check: async (target) => {
      for (const [field, value, says] of BAD_FIELDS) {
        const name = field.split(/[.[]/)[0] ?? field;
        const { status, body } = await postChat(target, chatBody({ [name]: value }));
        expect(status, field).toBe(400);
        expect(body.error, field).toMatchObject({
          type: 'invalid_request_error',
          code: expect.any(String),
          param: field,
        });
        expect(body.error.message, field).toContain(field);
        expect(body.error.message, field).toMatch(says);
      }
    },
  },
  {
    name: 'answers malformed JSON, an empty body and another content type each with their own error',
    check: async (target) => {
      const malformed = await postChat(target, '{"model": "tiny", ');
      expect(malformed).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } });
      const empty = await postChat(target, '');
      expect(empty).toMatchObject({ status: 400, body: { error: { code: 'empty_body' } } });
      const form = await postChat(target, 'model=tiny', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(form).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } });
    },
  },
  {
    name: 'takes half a surrogate pair for the replacement character, as any UTF-8 encoder does',
    check: async (target) => {
      const broken = JSON.stringify(chatBody()).replace('hello', 'a\\ud83db');
      const whole = JSON.stringify(chatBody()).replace('hello', 'a\ufffdb');
      const replies = [await postChat(target, broken), await postChat(target, whole)];
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      expect(replies[0]?.body.choices[0].message.content).toBe(replies[1]?.body.choices[0].message.content);
    },
  },
  {
    name: 'refuses images and audio for a model that takes none, and names the model',
    byApiAlone: true,
    check: async (target) => {
      const parts = [
        ['images', { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
        ['audio', { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }],
      ] as const;
      for (const [modality, part] of parts) {
        const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello' }, part] }];
        const { status, body } = await postChat(target, chatBody({ messages, stream: true }));
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          type: 'invalid_request_error',
          code: 'unsupported_content',
          param: 'messages[0].content[1]',
          message: `The model 'tiny' does not accept ${modality}.`,
        });
      }
    },
  },
  {
    name: 'refuses fields that would change the reply and that it does not implement; takes those that can not',
    byApiAlone: true,
    check: async (target) => {
      for (const more of [{ chat_template: 'x' }, { audio: {} }, { modalities: ['audio'] }]) {
        const { status, body } = await postChat(target, chatBody(more));
        expect(status).toBe(400);
        expect(body.error).toMatchObject({ code: 'unsupported_parameter', param: Object.keys(more)[0] });
      }
      const harmless = { user: 'u', metadata: {}, store: false, service_tier: 'auto', of_no_one: 1 };
      expect((await postChat(target, chatBody(harmless))).status).toBe(200);
    },
  },
  {
    name: 'gives the openai client its own error classes',
    byApiAlone: true,
    check: async (target) => {
      const thrown = (call: PromiseLike<unknown>) => Promise.resolve(call).catch((error: unknown) => error);
      const messages = [{ role: 'user' as const, content: 'hi' }];
      const create = (client: ReturnType<typeof openai>, body: { model: string; temperature?: number }) =>
        thrown(client.chat.completions.create({ messages, ...body }));
      expect(await create(openai(target, 'wrong'), { model: 'tiny' })).toBeInstanceOf(AuthenticationError);
      expect(await create(openai(target), { model: 'none' })).toBeInstanceOf(NotFoundError);
      const bad = await create(openai(target), { model: 'tiny', temperature: 3 });
      expect(bad).toBeInstanceOf(BadRequestError);
      expect(bad).toMatchObject({ param: 'temperature', message: expect.stringContaining('between 0 and 2') });
    },
  },
  {
    name: 'answers an error before the first token with its status, streamed or not',
    check: async (target) => {
      for (const stream of [false, true]) {
        expect((await postChat(target, chatBody({ model: 'none', stream }))).status).toBe(404);
        expect((await postChat(target, chatBody({ temperature: 9, stream }))).status).toBe(400);
      }
    },
  },
  {
    name: 'answers 503 with Retry-After when the queue is full, and serves on afterwards',
    check: async (target) => {
      const small = { ...target, url: target.smallUrl };
      const status = await whileFull(small, async () => {
        const refused = await postChat(small, chatBody());
        expect(refused).toMatchObject({ status: 503, body: { error: { type: 'overloaded' } } });
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      });
      expect(status).toBe(200);
    },
  },
];
