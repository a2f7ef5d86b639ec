import { expect } from 'vitest';
import { makeVocabulary, specialTokens } from '../../kit/models/vocabulary.ts';
import type { ContractCase } from '../suite.ts';
import { postJson, type Target } from '../target.ts';

const vocabulary = makeVocabulary().tokens;
/** The id of a token by its spelling, in which Ġ stands for a space. */
const id = (token: string) => vocabulary.lastIndexOf(token);
const [START, END] = specialTokens;

/** A text with words of the vocabulary, letters of several bytes, and a special token; and its tokens. */
const TEXT = `hello the é${END}`;
const TOKENS = [id('hello'), id('Ġthe'), id('Ġ'), 0xc3, 0xa9, id(END)];

async function post(target: Target, path: string, body: Record<string, unknown>) {
  return postJson(target, path, { model: 'tiny', ...body });
}

async function complete(target: Target, prompt: string | number[] | number[][], more: Record<string, unknown> = {}) {
  return post(target, '/v1/completions', { prompt, temperature: 0, max_tokens: 12, ...more });
}

export const tokenCases: ContractCase[] = [
  {
    name: 'tells the tokens of a text, and the text of each when asked to',
    check: async (target) => {
      const { body } = await post(target, '/v1/tokenize', { content: TEXT });
      expect(body).toEqual({ tokens: TOKENS });
      const told = await post(target, '/v1/tokenize', { content: TEXT, with_pieces: true });
      const pieces = told.body.tokens.map(({ piece }: { piece: string | number[] }) => piece);
      // A token that is a part of a character is told by its bytes.
      expect(pieces).toEqual(['hello', ' the', ' ', [0xc3], [0xa9], END]);
      expect((await post(target, '/v1/tokenize', { content: '' })).body).toEqual({ tokens: [] });
    },
  },
  {
    name: 'tells the text of tokens, and refuses those that there are not',
    check: async (target) => {
      expect((await post(target, '/v1/detokenize', { tokens: TOKENS })).body).toEqual({ content: TEXT });
      const { status, body } = await post(target, '/v1/detokenize', { tokens: [vocabulary.length] });
      expect(status).toBe(400);
      expect(body.error.message).toContain(`There is no token ${vocabulary.length}`);
    },
  },
  {
    name: 'continues token ids as it continues the text that they stand for, several prompts too, and echoes that text',
    check: async (target) => {
      const prompt = `${START}user\nhello world${END}`;
      const { tokens } = (await post(target, '/v1/tokenize', { content: prompt })).body;
      const { body: text } = await complete(target, prompt, { repeat_penalty: 1 });
      const { body: ids } = await complete(target, tokens, { repeat_penalty: 1, echo: true });
      expect(ids.choices[0].text).toBe(prompt + text.choices[0].text);
      expect(ids.usage.prompt_tokens).toBe(text.usage.prompt_tokens);
      expect(ids.usage.prompt_tokens).toBe(tokens.length);
      const { body: both } = await complete(target, [tokens, tokens], { repeat_penalty: 1 });
      expect(both.choices.map((choice: { text: string }) => choice.text)).toEqual(Array(2).fill(text.choices[0].text));
    },
  },
  {
    name: 'refuses prompts of token ids that there are not, and those longer than the window with both counts',
    check: async (target) => {
      const unknown = await complete(target, [vocabulary.length]);
      expect(unknown.status).toBe(400);
      expect(unknown.body.error.message).toContain(`There is no token ${vocabulary.length}`);
      const { status, body } = await complete(target, Array(1500).fill(65), { context_overflow: 'error' });
      expect(status).toBe(400);
      const counts = { n_prompt_tokens: 1500, n_ctx: 1024 };
      expect(body.error).toMatchObject({ code: 'context_length_exceeded', param: 'prompt', ...counts });
      expect(body.error.message).toMatch(/1024 tokens.*1500/);
    },
  },
  {
    name: 'counts a text that is longer than the window, without an end to it in sight',
    check: async (target) => {
      const { status, body } = await complete(target, 'hello the '.repeat(20_000), { context_overflow: 'error' });
      expect(status).toBe(400);
      expect(body.error.code).toBe('context_length_exceeded');
      const { n_prompt_tokens: counted } = body.error;
      // Far beyond the window, the rest is estimated from what was counted.
      expect(counted).toBeGreaterThan(50_000);
      expect(counted).toBeLessThan(70_000);
      expect((await complete(target, 'hello')).status).toBe(200);
    },
  },
  {
    name: 'makes the same vector of tokens as of their text',
    check: async (target) => {
      const model = 'embed/mini';
      const { body } = await post(target, '/v1/embeddings', {
        model,
        input: ['hello the world', 'é'],
        encoding_format: 'float',
      });
      const ids = await post(target, '/v1/embeddings', {
        model,
        input: [
          [id('hello'), id('Ġthe'), id('Ġworld')],
          [0xc3, 0xa9],
        ],
        encoding_format: 'float',
      });
      expect(ids.body.usage).toEqual(body.usage);
      for (const [index, { embedding }] of body.data.entries()) {
        const other: number[] = ids.body.data[index].embedding;
        const cosine = embedding.reduce(
          (sum: number, value: number, place: number) => sum + value * (other[place] ?? 0),
          0,
        );
        expect(cosine).toBeCloseTo(1, 4);
      }
    },
  },
];
