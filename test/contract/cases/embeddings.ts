import { BadRequestError, NotFoundError } from 'openai';
import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, openai, postChat, postJson, type Target } from '../target.ts';

const MODEL = 'embed/mini';
const DIMENSIONS = 64;
const CONTEXT_LENGTH = 512;

function embed(target: Target, body: Record<string, unknown>, init: RequestInit = {}) {
  return postJson(target, '/v1/embeddings', { model: MODEL, ...body }, init);
}

/** Returns the vectors of these texts, in order. */
async function vectorsOf(target: Target, input: string | string[]): Promise<number[][]> {
  const { data } = await openai(target).embeddings.create({ model: MODEL, input, encoding_format: 'float' });
  return data.map(({ embedding }) => embedding);
}

/** The cosine of the angle between two vectors of length 1. */
function likeness(a: number[] = [], b: number[] = []): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

export const embeddingCases: ContractCase[] = [
  {
    name: 'refuses images in an embedding request, and names the field',
    check: async (target) => {
      const { status, body } = await embed(target, { input: [{ image: 'data:image/png;base64,AAAA' }] });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ param: 'input[0]', code: 'unsupported_content' });
    },
  },
  {
    name: 'makes a vector of length 1, and tells the tokens',
    check: async (target) => {
      const { status, body } = await embed(target, { input: 'hello world' });
      expect(status).toBe(200);
      expect(body).toMatchObject({ object: 'list', model: MODEL, data: [{ object: 'embedding', index: 0 }] });
      expect(body.data[0].embedding).toHaveLength(DIMENSIONS);
      expect(Math.hypot(...body.data[0].embedding)).toBeCloseTo(1, 5);
      // Two words, and the end token that the model wants.
      expect(body.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
    },
  },
  {
    name: 'makes equal vectors of equal texts, like ones of like texts and others of others, in the order of the texts',
    check: async (target) => {
      const texts = ['hello world', 'the hello world', 'xyz', 'hello world'];
      const [hello, like, other, again] = await vectorsOf(target, texts);
      expect(likeness(hello, again)).toBeCloseTo(1, 5);
      expect(likeness(hello, like)).toBeGreaterThan(likeness(hello, other) + 0.2);
      expect(likeness(hello, other)).toBeLessThan(0.5);
      expect(likeness(like, (await vectorsOf(target, 'the hello world'))[0])).toBeCloseTo(1, 5);
    },
  },
  {
    name: 'gives the openai client the same vectors in base64 as in numbers',
    check: async (target) => {
      const input = ['one', 'two and three'];
      const numbers = await vectorsOf(target, input);
      // By default, the client asks for base64 and decodes it.
      const { data, usage } = await openai(target).embeddings.create({ model: MODEL, input });
      data.forEach(({ embedding }, index) => {
        expect([...embedding]).toEqual((numbers[index] ?? []).map(Math.fround));
      });
      expect(usage.prompt_tokens).toBe(usage.total_tokens);
      const { body } = await embed(target, { input, encoding_format: 'base64' });
      expect(Buffer.from(body.data[0].embedding, 'base64')).toHaveLength(4 * DIMENSIONS);
    },
  },
  {
    name: 'cuts the vectors to the asked dimensions, of length 1 again, and refuses more than there are',
    check: async (target) => {
      const [whole] = await vectorsOf(target, 'hello');
      const { body } = await embed(target, { input: 'hello', dimensions: 16 });
      const [{ embedding }] = body.data;
      expect(embedding).toHaveLength(16);
      expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
      expect(likeness(embedding, whole) / Math.hypot(...(whole ?? []).slice(0, 16))).toBeCloseTo(1, 5);
      const more = await embed(target, { input: 'hello', dimensions: DIMENSIONS + 1 });
      expect(more).toMatchObject({ status: 400, body: { error: { param: 'dimensions' } } });
    },
  },
  {
    name: 'reads texts up to the whole context, and refuses longer ones with both counts',
    check: async (target) => {
      const whole = await embed(target, { input: 'q'.repeat(CONTEXT_LENGTH - 1) });
      expect(whole.body.usage.prompt_tokens).toBe(CONTEXT_LENGTH);
      const { status, body } = await embed(target, { input: ['short', 'q'.repeat(CONTEXT_LENGTH)] });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'context_length_exceeded', param: 'input' });
      expect(body.error.message).toContain(`${CONTEXT_LENGTH + 1} tokens`);
      expect(body.error.message).toContain(`holds ${CONTEXT_LENGTH}.`);
    },
  },
  {
    name: 'answers requests at once as it answers them alone',
    check: async (target) => {
      const texts = Array.from({ length: 6 }, (_, index) => `text ${index} ${'of words '.repeat(index)}`);
      const alone: number[][] = [];
      for (const text of texts) alone.push(...(await vectorsOf(target, text)));
      const together = await Promise.all(texts.map((text) => vectorsOf(target, text)));
      together.forEach(([vector], index) => {
        expect(likeness(vector, alone[index])).toBeCloseTo(1, 5);
      });
    },
  },
  {
    name: 'serves on when a client leaves before its vectors come',
    check: async (target) => {
      const before = await vectorsOf(target, 'hello');
      const gone = new AbortController();
      const input = Array.from({ length: 100 }, () => 'many words '.repeat(10));
      const left = embed(target, { input }, { signal: gone.signal }).catch(() => 'aborted');
      const next = vectorsOf(target, 'hello');
      gone.abort();
      expect(await left).toBe('aborted');
      expect(await next).toEqual(before);
    },
  },
  {
    name: 'refuses models that make no embeddings, and says 404 of unknown ones',
    check: async (target) => {
      const create = (model: string) =>
        openai(target)
          .embeddings.create({ model, input: 'hello' })
          .catch((error: unknown) => error);
      expect(await create('tiny')).toBeInstanceOf(BadRequestError);
      expect(await create('rerank/mini')).toBeInstanceOf(BadRequestError);
      expect(await create('none')).toBeInstanceOf(NotFoundError);
    },
  },
  {
    name: 'answers a chat with such a model with 400, streamed or not',
    check: async (target) => {
      for (const stream of [false, true]) {
        const { status, body } = await postChat(target, chatBody({ model: MODEL, stream }));
        expect(status).toBe(400);
        expect(body.error).toMatchObject({ param: 'model' });
      }
    },
  },
];
