import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { Finder } from '../../../src/contract/models/finder.ts';
import { createContext, post, readJson } from '../fixtures.ts';

/** Finds one repository with one model, and records what it was asked. */
function createFakeFinder() {
  const asked: unknown[] = [];
  const finder: Finder = {
    search: async (words, limit) => {
      asked.push([words, limit]);
      return [{ repo: 'org/repo', downloads: 7, likes: 1, gated: false }];
    },
    offer: async (source) => {
      asked.push(source);
      const variant = { source: 'hf:org/repo:Q4_K_M', quantization: 'Q4_K_M', size: 40, projector: false };
      return { origin: 'org/repo', variants: [variant], named: null };
    },
  };
  return { api: createApi(createContext({ finder }).context), asked };
}

describe('POST /v1/models/search', () => {
  it('answers what the hub has, 20 at most if the request does not say', async () => {
    const { api, asked } = createFakeFinder();
    const reply = await api(post('/v1/models/search', { query: ' qwen ' }));
    expect(await readJson(reply)).toEqual({
      object: 'list',
      data: [{ id: 'org/repo', downloads: 7, likes: 1, gated: false }],
    });
    await api(post('/v1/models/search', { query: '', limit: 3 }));
    expect(asked).toEqual([
      ['qwen', 20],
      ['', 3],
    ]);
  });

  it.each([
    [{}, 'query'],
    [{ query: 7 }, 'query'],
    [{ query: 'a', limit: 0 }, 'limit'],
    [{ query: 'a', limit: 101 }, 'limit'],
  ])('refuses %j and names the field', async (body, param) => {
    const { api, asked } = createFakeFinder();
    const reply = await api(post('/v1/models/search', body));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param } });
    expect(asked).toEqual([]);
  });

  it('is a 501 where nothing finds models', async () => {
    const api = createApi(createContext().context);
    for (const [path, body] of [
      ['/v1/models/search', { query: 'a' }],
      ['/v1/models/variants', { model: 'org/repo' }],
    ] as const) {
      const reply = await api(post(path, body));
      expect(reply.status).toBe(501);
      expect(await readJson(reply)).toMatchObject({ error: { code: 'not_supported_here' } });
    }
  });
});

describe('POST /v1/models/variants', () => {
  it('answers what there is to pull', async () => {
    const { api, asked } = createFakeFinder();
    expect(await readJson(await api(post('/v1/models/variants', { model: 'org/repo' })))).toEqual({
      object: 'list',
      origin: 'org/repo',
      named: null,
      data: [{ source: 'hf:org/repo:Q4_K_M', quantization: 'Q4_K_M', size: 40, projector: false }],
    });
    expect(asked).toEqual(['org/repo']);
    expect((await api(post('/v1/models/variants', { model: '' }))).status).toBe(400);
  });
});
