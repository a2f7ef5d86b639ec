import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, getJson, postChat, postJson, type Target } from '../target.ts';

const SCHEMA = {
  type: 'object',
  properties: { kind: { enum: ['novel', 'play'] }, pages: { type: 'integer', minimum: 1, maximum: 9 } },
  required: ['kind', 'pages'],
  additionalProperties: false,
};

async function contentOf(target: Target, more: Record<string, unknown>): Promise<string> {
  const { status, body } = await postChat(target, chatBody(more));
  expect(status, JSON.stringify([more, body])).toBe(200);
  return body.choices[0].message.content;
}

/** Two requests that must have the same reply: the fields of another server or client, and Paddock's own. */
const SYNONYMS: [other: Record<string, unknown>, own: Record<string, unknown>][] = [
  [{ repetition_penalty: 1.5 }, { repeat_penalty: 1.5 }],
  [{ n_predict: 5, max_tokens: undefined }, { max_tokens: 5 }],
  [{ stop: '' }, {}],
  [{ stop: [''] }, {}],
  [{ best_of: 1 }, {}],
  [{ verbosity: 'low', prediction: { type: 'content', content: 'hello' } }, {}],
  [{ dry_multiplier: 0, dry_base: 1.75, xtc_probability: 0, xtc_threshold: 0.1, top_n_sigma: -1 }, {}],
  [{ n_probs: 0, min_keep: 0, n_keep: 0, t_max_predict_ms: 0, grammar: '', ignore_eos: false }, {}],
  [{ min_tokens: 0, stop_token_ids: [], options: {} }, {}],
];

/** Fields that would change the reply, with a value of which nothing can come. */
const REFUSED: [field: string, value: unknown][] = [
  ['min_tokens', 5],
  ['stop_token_ids', [2]],
  ['num_ctx', 8192],
  ['options', { num_ctx: 8192 }],
  ['best_of', 2],
  ['structured_outputs.structural_tag', '{}'],
  ['reasoning.exclude', true],
];

export const clientCases: ContractCase[] = [
  {
    name: 'takes the fields of other servers that have a meaning here, and the values that change nothing',
    byApiAlone: true,
    check: async (target) => {
      for (const [other, own] of SYNONYMS) {
        expect(await contentOf(target, other), JSON.stringify(other)).toBe(await contentOf(target, own));
      }
      const { body } = await postChat(target, chatBody({ model: 'shelf/brief', max_tokens: -1 }));
      expect(body.choices[0].finish_reason).toBe('stop');
    },
  },
  {
    name: 'refuses the fields of other servers that would change the reply, by name',
    byApiAlone: true,
    check: async (target) => {
      for (const [field, value] of REFUSED) {
        const [name = '', inner] = field.split('.');
        const { status, body } = await postChat(target, chatBody({ [name]: inner ? { [inner]: value } : value }));
        expect(status, field).toBe(400);
        expect(body.error).toMatchObject({ code: 'unsupported_parameter', param: field });
      }
    },
  },
  {
    name: 'refuses LoRA adapters that the model lacks, in every dialect, and takes an empty list of them',
    byApiAlone: true,
    check: async (target) => {
      const messages = [{ role: 'user', content: 'hello' }];
      const bodies: Record<string, object> = {
        '/v1/chat/completions': { messages },
        '/v1/completions': { prompt: 'hello' },
        '/v1/responses': { input: 'hello' },
        '/v1/messages': { messages, max_tokens: 4 },
        '/api/chat': { messages },
        '/api/generate': { prompt: 'hello' },
      };
      for (const [path, body] of Object.entries(bodies)) {
        const lora = [{ id: 'nobody', scale: 1 }];
        const refused = await postJson(target, path, { model: 'tiny', stream: false, ...body, lora });
        expect(refused.status, path).toBe(400);
        expect(JSON.stringify(refused.body), path).toContain("no LoRA adapter 'nobody'. It has none.");
      }
      const byIndex = await postChat(target, chatBody({ lora: [{ id: 0, scale: 0 }] }));
      expect(byIndex).toMatchObject({ status: 400, body: { error: { code: 'unknown_lora', param: 'lora[0].id' } } });
      expect(await contentOf(target, { lora: [] })).toBe(await contentOf(target, {}));
    },
  },
  {
    name: 'replies JSON of the schema in guided_json and in structured_outputs',
    byApiAlone: true,
    check: async (target) => {
      for (const field of [{ guided_json: SCHEMA }, { structured_outputs: { json: SCHEMA } }]) {
        const content = JSON.parse(await contentOf(target, { ...field, temperature: 1, seed: 3, max_tokens: 60 }));
        expect(['novel', 'play']).toContain(content.kind);
        expect(content.pages).toBeGreaterThan(0);
      }
    },
  },
  {
    name: 'replies in the form of a grammar, a regular expression or a list, in chats and in completions',
    byApiAlone: true,
    check: async (target) => {
      const grammar = '# a sum\nroot ::= number (" + " number){1,2}\nnumber ::= [1-9] [0-9]?';
      const sum = /^[1-9][0-9]?( \+ [1-9][0-9]?){1,2}$/;
      const forms: [fields: Record<string, unknown>, form: RegExp][] = [
        [{ grammar }, sum],
        [{ guided_grammar: grammar }, sum],
        [{ structured_outputs: { grammar } }, sum],
        [{ guided_regex: '[ab]{3}(c|\\d)' }, /^[ab]{3}[c0-9]$/],
        [{ structured_outputs: { regex: '[ab]{3}(c|\\d)' } }, /^[ab]{3}[c0-9]$/],
        [{ guided_choice: ['left', 'right'] }, /^(left|right)$/],
        [{ structured_outputs: { choice: ['left', 'right'] } }, /^(left|right)$/],
      ];
      const sampling = { temperature: 1, seed: 4, max_tokens: 60 };
      for (const [fields, form] of forms) {
        expect(await contentOf(target, { ...fields, ...sampling }), JSON.stringify(fields)).toMatch(form);
        const { body } = await postJson(target, '/v1/completions', {
          model: 'tiny',
          prompt: 'hello',
          ...fields,
          ...sampling,
        });
        expect(body.choices[0], JSON.stringify(fields)).toMatchObject({
          text: expect.stringMatching(form),
          finish_reason: 'stop',
        });
      }
    },
  },
  {
    name: 'refuses a grammar that is wrong with its line, and a regular expression that is none',
    byApiAlone: true,
    check: async (target) => {
      const wrong: [fields: Record<string, unknown>, param: string, reason: RegExp][] = [
        [{ grammar: 'root ::= a\n\na ::= b' }, 'grammar', /^Line 3 of the grammar names the rule 'b'/],
        [{ guided_grammar: 'root ::= "a' }, 'guided_grammar', /^Line 1 of the grammar/],
        [{ structured_outputs: { regex: '(a' } }, 'structured_outputs.regex', /^The pattern is not a valid/],
      ];
      for (const [fields, param, reason] of wrong) {
        for (const { status, body } of [
          await postChat(target, chatBody(fields)),
          await postJson(target, '/v1/completions', { model: 'tiny', prompt: 'hello', ...fields }),
        ]) {
          expect(status).toBe(400);
          expect(body.error).toMatchObject({ code: 'invalid_grammar', param, message: expect.stringMatching(reason) });
        }
      }
    },
  },
  {
    name: 'takes a refusal and thoughts in the history, and lets thoughts change no prompt of a template without them',
    byApiAlone: true,
    check: async (target) => {
      const after = (content: unknown, more: object = {}) =>
        contentOf(target, {
          messages: [
            { role: 'user', content: 'hello' },
            { role: 'assistant', content, ...more },
            { role: 'user', content: 'why?' },
          ],
        });
      const plain = await after('No.');
      const thought = { type: 'thinking', thinking: 'Hm.' };
      expect(await after([{ type: 'refusal', refusal: 'No.' }])).toBe(plain);
      expect(await after([thought, { type: 'text', text: 'No.' }])).toBe(plain);
      expect(await after('No.', { reasoning_content: 'Hm.' })).toBe(plain);
      expect(await after('Yes.')).not.toBe(plain);
    },
  },
  {
    name: 'keeps the ids of calls out of the prompt, so that new ids leave the cache valid',
    byApiAlone: true,
    check: async (target) => {
      const conversation = (id: string) => ({
        max_tokens: 1,
        messages: [
          { role: 'user', content: 'add 2 and 2 with the calculator that was lent to you for ids' },
          {
            role: 'assistant',
            tool_calls: [{ id, type: 'function', function: { name: 'add', arguments: '{"a":2}' } }],
          },
          { role: 'tool', content: '4', tool_call_id: id },
        ],
      });
      const used = (await postChat(target, chatBody(conversation('call_a1')))).body.usage;
      const again = (await postChat(target, chatBody(conversation('call_b2')))).body.usage;
      expect(again.prompt_tokens).toBe(used.prompt_tokens);
      expect(again.prompt_tokens_details.cached_tokens).toBe(used.prompt_tokens - 1);
    },
  },
  {
    name: 'answers alike with a slash at the end of the path, and without /v1',
    check: async (target) => {
      const { body: expected } = await postChat(target, chatBody());
      for (const path of ['/v1/chat/completions/', '/chat/completions', '/chat/completions/']) {
        const { status, body } = await postJson(target, path, chatBody());
        expect(status, path).toBe(200);
        expect(body.choices).toEqual(expected.choices);
      }
      const { body: list } = await getJson(target, '/v1/models');
      for (const path of ['/v1/models/', '/models']) {
        const { status, body } = await getJson(target, path, { accept: 'application/json' });
        expect(status, path).toBe(200);
        expect(body.data.map(({ id }: { id: string }) => id)).toEqual(list.data.map(({ id }: { id: string }) => id));
      }
    },
  },
];
