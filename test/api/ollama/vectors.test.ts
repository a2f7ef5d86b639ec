import type { EmbeddingsResponse, EmbedResponse } from 'ollama';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { unsupportedParameter } from '../../../src/contract/errors.ts';
import { overlongText } from '../../../src/engine/overlong.ts';
import { type Answers, createContext, createFakeRunner, modelCard, post, readJson } from '../fixtures.ts';

const WINDOW = 6;
/** An engine with a token for each character, and room for `WINDOW` of them. */
const answers: Answers = {
  embed({ inputs }) {
    const long = inputs.find(({ length }) => length > WINDOW);
    if (long) throw overlongText('input', long.length, WINDOW);
    return { vectors: inputs.map(() => [0.6, 0.8]), tokens: inputs.reduce((sum, { length }) => sum + length, 0) };
  },
  tokenize: ({ text }) => ({ tokens: [...text].map((_, index) => index), pieces: [] }),
};

function apiOver(more: Answers = {}) {
  const runner = createFakeRunner(undefined, [], { ...answers, ...more });
  const cards = [modelCard({ settings: { embedding: true } }), modelCard({ id: 'chat' })];
  return { api: createApi(createContext({ runner, cards }).context), runner };
}
const embed = (body: object) => post('/api/embed', { model: 'tiny', ...body });

describe('POST /api/embed', () => {
  it('makes a vector for each text, and counts the tokens', async () => {
    const { api } = apiOver();
    const one: EmbedResponse = {
      model: 'tiny',
      embeddings: [[0.6, 0.8]],
      total_duration: expect.any(Number),
      load_duration: 0,
      prompt_eval_count: 5,
    };
    expect(await readJson(await api(embed({ input: 'hello' })))).toEqual(one);
    expect((await readJson(await api(embed({ input: ['a', 'b', 'c'] })))).embeddings).toHaveLength(3);
    expect((await readJson(await api(embed({ input: [] })))).embeddings).toEqual([]);
  });

  it('shortens the vectors to dimensions', async () => {
    expect((await readJson(await apiOver().api(embed({ input: 'a', dimensions: 1 })))).embeddings).toEqual([[1]]);
  });

  it('cuts a text that is too long at its end, and leaves the others', async () => {
    const { api, runner } = apiOver();
    expect((await api(embed({ input: ['abc', 'abcdefgh'] }))).status).toBe(200);
    expect(runner.questions.filter(({ kind }) => kind === 'embed').at(-1)?.question).toEqual({
      inputs: ['abc', [0, 1, 2, 3]],
    });
  });

  it('refuses it with both counts where truncate is false, and where the engine does not tell tokens', async () => {
    const silent: Answers = {
      tokenize() {
        throw unsupportedParameter('model', 'does not tell its tokens');
      },
    };
    const long = 'abcdefgh';
    for (const reply of [
      await apiOver().api(embed({ input: long, truncate: false })),
      await apiOver(silent).api(embed({ input: long })),
    ]) {
      expect(reply.status).toBe(400);
      expect((await readJson(reply)).error).toContain('input has a text of 8 tokens');
    }
  });

  it('refuses a model that makes no embeddings', async () => {
    const reply = await apiOver().api(embed({ model: 'chat', input: 'a' }));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error).toContain("'chat' is not an embedding model");
  });
});

it('POST /api/embeddings makes the vector of one text', async () => {
  const reply = await apiOver().api(post('/api/embeddings', { model: 'tiny', prompt: 'hello' }));
  const expected: EmbeddingsResponse = { embedding: [0.6, 0.8] };
  expect(await readJson(reply)).toEqual(expected);
});
