import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { invalidRequest } from '../../../src/contract/errors.ts';
import { createContext, createFakeRunner, post, readJson } from '../fixtures.ts';

const SCORES = [0.2, 0.9, 0.2, 0.5];
const documents = ['zero', { text: 'one' }, 'two', { text: 'three', more: 1 }];

/** Makes the API over a ranking model that gives these scores. */
function apiOver(scores = SCORES) {
  const runner = createFakeRunner(undefined, [], { rerank: () => ({ scores, tokens: 11 }) });
  return { api: createApi(createContext({ runner }).context), runner };
}

const rerank = (body: Record<string, unknown> = {}) =>
  post('/v1/rerank', { model: 'tiny', query: 'which?', documents, ...body });

describe('rerank', () => {
  it('lists the documents by their relevance, equal ones in the order given', async () => {
    const reply = await apiOver().api(rerank());
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({
      model: 'tiny',
      object: 'list',
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 3, relevance_score: 0.5 },
        { index: 0, relevance_score: 0.2 },
        { index: 2, relevance_score: 0.2 },
      ],
      usage: { prompt_tokens: 11, total_tokens: 11 },
    });
  });

  it('asks the engine with the texts of the documents', async () => {
    const { api, runner } = apiOver();
    await api(rerank());
    expect(runner.questions).toMatchObject([
      { kind: 'rerank', question: { query: 'which?', documents: ['zero', 'one', 'two', 'three'] } },
    ]);
  });

  it.each([
    [1, [1]],
    [2, [1, 3]],
    [99, [1, 3, 0, 2]],
    [null, [1, 3, 0, 2]],
  ])('lists only the best %s', async (top_n, indices) => {
    const { results } = await readJson(await apiOver().api(rerank({ top_n })));
    expect(results.map(({ index }: { index: number }) => index)).toEqual(indices);
  });

  it('repeats the documents when asked to', async () => {
    const { results } = await readJson(await apiOver().api(rerank({ return_documents: true, top_n: 2 })));
    expect(results).toEqual([
      { index: 1, relevance_score: 0.9, document: { text: 'one' } },
      { index: 3, relevance_score: 0.5, document: { text: 'three' } },
    ]);
  });

  it("is refused with the engine's error if the model does not rank", async () => {
    const error = invalidRequest("The model 'tiny' is no reranker.", 'model');
    const runner = createFakeRunner(undefined, [], { rerank: () => Promise.reject(error) });
    const reply = await createApi(createContext({ runner }).context)(rerank());
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toEqual(errorBody(error.data));
  });

  it('is answered with 404 for an unknown model', async () => {
    expect((await apiOver().api(rerank({ model: 'nope' }))).status).toBe(404);
  });

  it.each([
    ['model', undefined, 'model', 'is required'],
    ['query', undefined, 'query', 'is required'],
    ['query', '', 'query', 'must not be empty'],
    ['query', 5, 'query', 'must be a string'],
    ['documents', undefined, 'documents', 'is required'],
    ['documents', 'x', 'documents', 'must be an array of documents'],
    ['documents', [], 'documents', 'must have at least 1 document'],
    ['documents', Array(2049).fill('x'), 'documents', 'must have at most 2048 documents'],
    ['documents', ['x', 5], 'documents[1]', 'must be a string or an object with text'],
    ['documents', [null], 'documents[0]', 'must be a string or an object with text'],
    ['documents', [{}], 'documents[0].text', 'is required'],
    ['documents', [{ text: 5 }], 'documents[0].text', 'must be a string'],
    ['top_n', 0, 'top_n', 'must be an integer of at least 1'],
    ['top_n', 1.5, 'top_n', 'must be an integer of at least 1'],
    ['top_n', '1', 'top_n', 'must be an integer of at least 1'],
    ['return_documents', 'yes', 'return_documents', 'must be a boolean'],
  ] as [string, unknown, string, string][])('is refused with %s %j: %s %s', async (field, value, param, message) => {
    const reply = await apiOver().api(rerank({ [field]: value }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param, message: `${param} ${message}.` } });
  });
});
