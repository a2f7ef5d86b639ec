import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, postChat, postJson, type Target } from '../target.ts';

const documents = ['in Bonn', 'the world is round', { text: 'hello' }, 'no one knows that'];
const question = { model: 'rerank/mini', query: 'where is it?', documents };

interface Ranked {
  index: number;
  relevance_score: number;
}

async function rank(target: Target, more: Record<string, unknown> = {}): Promise<Ranked[]> {
  return (await postJson(target, '/v1/rerank', { ...question, ...more })).body.results;
}

export const rerankCases: ContractCase[] = [
  {
    name: 'ranks every document by a score between 0 and 1, the highest first',
    check: async (target) => {
      const { status, body } = await postJson(target, '/v1/rerank', question);
      expect(status).toBe(200);
      expect(body).toMatchObject({ object: 'list', model: 'rerank/mini' });
      expect(body.usage.prompt_tokens).toBeGreaterThan(documents.length);
      const results: Ranked[] = body.results;
      expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3]);
      const scores = results.map(({ relevance_score }) => relevance_score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(new Set(scores).size).toBe(documents.length);
      for (const score of scores) {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThan(1);
      }
    },
  },
  {
    name: 'scores a document by the query, and alike whatever stands beside it',
    check: async (target) => {
      const scoreOf = async (more: Record<string, unknown>) =>
        (await rank(target, more)).find(({ index }) => index === 0)?.relevance_score;
      const among = await scoreOf({});
      expect(await scoreOf({ documents: ['in Bonn'] })).toBeCloseTo(among ?? Number.NaN, 5);
      expect(await scoreOf({ query: 'something else' })).not.toBeCloseTo(among ?? Number.NaN, 5);
    },
  },
  {
    name: 'gives the first top_n, with their documents on demand',
    check: async (target) => {
      const all = await rank(target);
      expect(await rank(target, { top_n: 2 })).toEqual(all.slice(0, 2));
      const [best] = await rank(target, { top_n: 1, return_documents: true });
      const document = documents[best?.index ?? -1];
      expect(best).toMatchObject({ document: { text: typeof document === 'string' ? document : document?.text } });
    },
  },
  {
    name: 'refuses a document that is too long beside the query, with both counts',
    check: async (target) => {
      const { status, body } = await postJson(target, '/v1/rerank', { ...question, documents: ['x', 'q'.repeat(600)] });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'context_length_exceeded', param: 'documents' });
      expect(body.error.message).toMatch(/6\d\d tokens.*holds 512/);
    },
  },
  {
    name: 'refuses models that rank nothing, and a chat with one that does',
    check: async (target) => {
      for (const model of ['tiny', 'embed/mini']) {
        expect((await postJson(target, '/v1/rerank', { ...question, model })).status).toBe(400);
      }
      expect((await postJson(target, '/v1/rerank', { ...question, model: 'none' })).status).toBe(404);
      expect((await postChat(target, chatBody({ model: 'rerank/mini' }))).status).toBe(400);
    },
  },
];
