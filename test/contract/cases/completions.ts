import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, getJson, openai, postChat, postJson, type Target } from '../target.ts';

const plain = { model: 'tiny', prompt: 'once upon', temperature: 0, max_tokens: 12 };

async function complete(target: Target, more: Record<string, unknown> = {}) {
  return (await postJson(target, '/v1/completions', { ...plain, ...more })).body;
}

export const completionCases: ContractCase[] = [
  {
    name: 'completes a text for the openai client, whole and streamed alike',
    check: async (target) => {
      const whole = await openai(target).completions.create({ ...plain, repeat_penalty: 1 } as typeof plain);
      expect(whole).toMatchObject({
        object: 'text_completion',
        choices: [{ index: 0, text: expect.any(String), finish_reason: 'length' }],
        usage: { completion_tokens: 12 },
      });
      let text = '';
      const stream = await openai(target).completions.create({
        ...plain,
        repeat_penalty: 1,
        stream: true,
      } as typeof plain & {
        stream: true;
      });
      for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
      expect(text).toBe(whole.choices[0]?.text);
    },
  },
  {
    name: 'completes several prompts, with choices numbered through',
    check: async (target) => {
      const { choices } = await complete(target, { prompt: ['one', 'two'], n: 2, temperature: 1, seed: 3 });
      expect(choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3]);
    },
  },
  {
    name: 'echoes the prompt before the completion when asked',
    check: async (target) => {
      const without = await complete(target);
      const echoed = await complete(target, { echo: true });
      expect(echoed.choices[0].text).toBe(`once upon${without.choices[0].text}`);
    },
  },
  {
    name: 'tells the logprobs of an echoed prompt, which are those of a reply with the same words',
    check: async (target) => {
      const { choices: replied } = await complete(target, { logprobs: 2, repeat_penalty: 1 });
      const { text, logprobs: written } = replied[0];
      const prompt = `${plain.prompt}${text}`;
      const { choices, usage } = await complete(target, {
        prompt: [prompt, 'two'],
        echo: true,
        logprobs: 2,
        max_tokens: 1,
      });
      expect(choices).toHaveLength(2);
      const { tokens, token_logprobs, top_logprobs, text_offset } = choices[0].logprobs;
      expect(choices[0].text.startsWith(prompt)).toBe(true);
      expect(text_offset[0]).toBe(0);
      const begin = tokens.length - 1 - written.tokens.length;
      expect(tokens.slice(begin, -1)).toEqual(written.tokens);
      for (const [index, logprob] of written.token_logprobs.entries())
        expect(token_logprobs[begin + index]).toBeCloseTo(logprob, target.gpu ? 1 : 3);
      expect(top_logprobs.slice(1).every((top: object) => Object.keys(top).length >= 2)).toBe(true);
      expect(usage.prompt_tokens_details.cached_tokens).toBe(0);
    },
  },
  {
    name: 'refuses to fill a gap by a model that can not infill',
    check: async (target) => {
      const gap = { input_prefix: 'one', input_suffix: 'three', samplers: ['top_k', 'infill'] };
      for (const [path, body, param] of [
        ['/infill', { model: 'tiny', ...gap }, 'input_suffix'],
        ['/v1/fim/completions', { model: 'tiny', prompt: 'one', suffix: 'three' }, 'suffix'],
      ] as const) {
        const refused = await postJson(target, path, body);
        expect(refused.status, path).toBe(400);
        expect(refused.body.error, path).toMatchObject({ code: 'unsupported_parameter', param });
      }
    },
  },
  {
    name: 'refuses a suffix for a model that can not infill',
    check: async (target) => {
      const { error } = await complete(target, { suffix: ' the end' });
      expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'suffix' });
    },
  },
  {
    name: 'ends with content_filter before a filtered text, in any case, and sends nothing of it',
    check: async (target) => {
      // The servers under test filter "%%%%".
      const forced = chatBody({ repeat_penalty: 1, max_tokens: 40, logit_bias: { 37: 100 } });
      const { body: whole } = await postChat(target, forced);
      expect(whole.choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'content_filter' });
      expect(whole.usage.completion_tokens).toBe(4);
      const { body: free } = await postChat(target, chatBody());
      expect(free.choices[0].finish_reason).toBe('length');
    },
  },
  {
    name: 'answers a prompt with a filtered text with nothing but content_filter',
    check: async (target) => {
      const { body } = await postChat(target, chatBody({ messages: [{ role: 'user', content: 'say %%%% now' }] }));
      expect(body.choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'content_filter' });
      expect(body.usage.completion_tokens).toBe(0);
      expect(body.usage.prompt_tokens).toBeGreaterThan(5);
    },
  },
  {
    name: 'describes the whole API in OpenAPI 3.1',
    check: async (target) => {
      const { body: document } = await getJson(target, '/openapi.json', { authorization: '' });
      expect(document.openapi).toMatch(/^3\.1/);
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/models']),
      );
    },
  },
];
