import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { type PageRules, reachOf } from '../../../src/api/http/reach.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import type { PullEvent } from '../../../src/contract/models/puller.ts';
import { chat, createContext, get, post, readJson, streamOf } from '../fixtures.ts';

const RULES: PageRules = { origins: [], local: 'inference' };

const reach = (headers: Record<string, string>, rules: Partial<PageRules> = {}) =>
  reachOf({ host: '127.0.0.1:1337', ...headers }, { ...RULES, ...rules });

describe('what the sender of a request may call', () => {
  it('is everything for programs that are no browser', () => {
    expect(reach({})).toBe('all');
  });

  it.each([
    ['http://127.0.0.1:1337', '127.0.0.1:1337'],
    ['http://models.example', 'models.example'],
    ['https://models.example', 'models.example'],
  ])('is everything for a page of %s, which this server serves', (origin, host) => {
    expect(reach({ origin, host })).toBe('all');
  });

  it('is everything for a page of this server, whatever a proxy calls the server', () => {
    expect(reach({ origin: 'https://chat.example', 'sec-fetch-site': 'same-origin' })).toBe('all');
  });

  it.each([
    'http://localhost',
    'http://localhost:5173',
    'https://localhost:8443',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://app.localhost:3000',
  ])('is asking models for a page of %s, as a web app under development is', (origin) => {
    expect(reach({ origin })).toBe('inference');
    expect(reach({ origin }, { local: 'none' })).toBe('none');
    expect(reach({ origin }, { local: 'all' })).toBe('all');
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example/localhost',
    'http://notlocalhost',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    'http://localhost:80.evil.example',
    'http://127.0.0.1:1338.evil.example',
    'file://',
    'chrome-extension://abcdefgh',
    'null',
    '',
  ])('is nothing for a page of %j', (origin) => {
    expect(reach({ origin })).toBe('none');
    expect(reach({ origin }, { local: 'all' })).toBe('none');
  });

  it('is nothing for another site that hides its origin', () => {
    expect(reach({ 'sec-fetch-site': 'cross-site' })).toBe('none');
  });

  it('is everything for a listed origin, and for no other', () => {
    const origins = ['https://app.example', 'chrome-extension://abcdefgh'];
    expect(reach({ origin: 'https://app.example' }, { origins })).toBe('all');
    expect(reach({ origin: 'chrome-extension://abcdefgh' }, { origins })).toBe('all');
    expect(reach({ origin: 'https://app.example:444' }, { origins })).toBe('none');
    expect(reach({ origin: 'http://app.example' }, { origins })).toBe('none');
  });

  it('is asking models for any origin where * is listed', () => {
    expect(reach({ origin: 'https://any.example' }, { origins: ['*'] })).toBe('inference');
    expect(reach({ origin: 'null' }, { origins: ['*'] })).toBe('inference');
    expect(reach({ origin: 'http://localhost:5173' }, { origins: ['*'], local: 'none' })).toBe('inference');
    expect(reach({ origin: 'http://localhost:5173' }, { origins: ['*'], local: 'all' })).toBe('all');
  });
});

describe('a web page that calls the API', () => {
  const removed: string[] = [];
  const pulled: string[] = [];
  const { context } = createContext({
    pages: { origins: ['https://app.example'], local: 'inference' },
    remover: { remove: async (id) => void removed.push(id) },
    puller: {
      pull(source) {
        pulled.push(source);
        return streamOf<PullEvent>([{ status: 'done', model: 'tiny', alreadyHere: true }]);
      },
    },
  });
  const api = createApi(context);
  const own = { host: 'localhost:1337', origin: 'http://localhost:1337' };
  const listed = { host: 'localhost:1337', origin: 'https://app.example' };
  const local = { host: 'localhost:1337', origin: 'http://localhost:5173' };
  const foreign = { host: 'localhost:1337', origin: 'https://evil.example' };
  const json = { 'content-type': 'application/json' };
  const remove = (headers: Record<string, string>) => api({ ...get('/v1/models/tiny', headers), method: 'DELETE' });
  const pull = (headers: Record<string, string>) =>
    api(post('/v1/models/pull', { model: 'hf:a/b', stream: false }, { headers: { ...json, ...headers } }));

  it('of another site may not make a model work, and its body is not even read', async () => {
    let read = false;
    const text = async () => {
      read = true;
      return '{}';
    };
    for (const path of ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/rerank', '/v1/tokenize']) {
      const reply = await api(post(path, {}, { headers: { ...json, ...foreign }, text }));
      expect(reply.status).toBe(403);
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
      expect(await readJson(reply)).toMatchObject({
        error: {
          type: 'permission_error',
          code: 'origin_not_allowed',
          message: expect.stringMatching(/https:\/\/evil\.example.*--cors-origin/),
        },
      });
    }
    expect(read).toBe(false);
  });

  it('of another site may neither pull, import nor remove models', async () => {
    expect((await pull(foreign)).status).toBe(403);
    expect((await remove(foreign)).status).toBe(403);
    const form = { ...foreign, 'content-type': 'text/plain' };
    const imported = await api({ ...post('/v1/models/import', 'GGUF', { headers: form }), query: 'filename=a.gguf' });
    expect(imported.status).toBe(403);
    expect({ removed, pulled }).toEqual({ removed: [], pulled: [] });
  });

  it('of this machine may chat and list the models, but not pull or remove any', async () => {
    expect((await api(chat({}, { headers: { ...json, ...local } }))).status).toBe(200);
    expect((await api(get('/v1/models', local))).status).toBe(200);
    for (const reply of [await pull(local), await remove(local)]) {
      expect(reply.status).toBe(403);
      expect(reply.headers['access-control-allow-origin']).toBe(local.origin);
      expect(await readJson(reply)).toMatchObject({
        error: { code: 'origin_not_allowed', message: expect.stringMatching(/pull, import or remove.*--cors-origin/) },
      });
    }
    expect({ removed, pulled }).toEqual({ removed: [], pulled: [] });
  });

  it('of this machine is told beforehand that it may remove nothing', async () => {
    const { headers } = await api({ ...get('/v1/models/tiny', local), method: 'OPTIONS' });
    expect(headers['access-control-allow-methods']).toBe('GET');
  });

  it('of this server or a listed origin may do it all', async () => {
    for (const headers of [own, listed]) {
      expect((await api(chat({}, { headers: { ...json, ...headers } }))).status).toBe(200);
      expect((await pull(headers)).status).toBe(200);
      expect((await remove(headers)).status).toBe(200);
    }
    const { headers } = await api({ ...get('/v1/models/tiny', listed), method: 'OPTIONS' });
    expect(headers['access-control-allow-methods']).toBe('GET, DELETE');
  });

  it('is refused for its origin before its key is looked at', async () => {
    const keyed = createApi({ ...context, apiKeys: plainKeys(['sk-one']) });
    expect((await keyed(chat({}, { headers: { ...json, ...foreign } }))).status).toBe(403);
    expect((await keyed(chat({}, { headers: { ...json, ...local } }))).status).toBe(401);
  });
});
