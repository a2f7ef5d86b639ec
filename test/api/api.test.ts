import { describe, expect, it } from 'vitest';
import { createApi, FAMILIES } from '../../src/api/api.ts';
import { errorBody } from '../../src/api/http/dialect.ts';
import { plainKeys } from '../../src/api/keys/plain.ts';
import { serverError, shuttingDown } from '../../src/contract/errors.ts';
import type { Catalogue } from '../../src/contract/models/model.ts';
import { chat, createContext, createFakeRunner, failing, get, hello, post, readBody, readJson } from './fixtures.ts';

const broken: Catalogue = {
  list: () => {
    throw new Error('ENOENT: /home/someone/secret');
  },
  find: () => {
    throw new TypeError('secret is not a function');
  },
};

describe('routing', () => {
  const api = createApi(createContext().context);

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/nothing',
    '/v1/models//',
    '/v1/v1/models',
    '/v2/models',
    '/v1/chat',
    '/V1/models',
    '/v1/chat/completions/x',
  ])('answers the unknown path %s with 404 as JSON', async (path) => {
    const reply = await api(get(path));
    expect(reply).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } });
    const { error } = await readJson(reply);
    expect(error).toMatchObject({ code: 'not_found', param: null });
    expect(error.message).toContain(path);
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['POST', '/v1/models', 'GET'],
    ['PUT', '/v1/models/tiny', 'GET'],
    ['PUT', '/v1/models/tiny', 'DELETE'],
    ['POST', '/health', 'GET'],
  ])('answers %s %s with 405 and Allow', async (method, path, allowed) => {
    const reply = await api({ ...get(path), method });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow?.split(', ')).toContain(allowed);
    expect(await readJson(reply)).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it.each([
    ['/v1/models', ['/v1/models/', '/models', '/models/']],
    ['/v1/models/tiny', ['/v1/models/tiny/', '/models/tiny', '/models/tiny/']],
    ['/health', ['/health/']],
    ['/openapi.json', ['/openapi.json/']],
  ])('answers %s alike with a slash at the end, and without /v1: %j', async (path, others) => {
    const expected = await readJson(await api(get(path)));
    for (const other of others) {
      const reply = await api(get(other));
      expect(reply.status, other).toBe(200);
      expect(await readJson(reply)).toEqual(expected);
    }
  });

  it.each(['/chat/completions', '/v1/chat/completions/', '/chat/completions/'])('takes chats at %s', async (path) => {
    expect((await api(post(path, hello))).status).toBe(200);
    expect((await api({ ...get(path), method: 'OPTIONS' })).status).toBe(204);
  });

  it('has a key checked at every path of a route', async () => {
    const locked = createApi(createContext({ apiKeys: plainKeys(['secret']) }).context);
    for (const path of ['/v1/models', '/v1/models/', '/models']) expect((await locked(get(path))).status).toBe(401);
  });

  it.each([
    ['/health', 200],
    ['/ready', 200],
    ['/openapi.json', 200],
    ['/v1/models', 200],
    ['/v1/models/tiny', 200],
    ['/v1/models/nope', 404],
    ['/v1/nothing', 404],
  ])('answers HEAD of %s as GET, with %i', async (path, status) => {
    const [head, whole] = [await api({ ...get(path), method: 'HEAD' }), await api(get(path))];
    expect(head.status).toBe(status);
    expect(Object.keys(head.headers)).toEqual(Object.keys(whole.headers));
  });

  it('asks for a key on HEAD where GET needs one', async () => {
    const guarded = createApi({ ...createContext().context, apiKeys: plainKeys(['key']) });
    expect((await guarded({ ...get('/v1/models'), method: 'HEAD' })).status).toBe(401);
    expect((await guarded({ ...get('/health'), method: 'HEAD' })).status).toBe(200);
  });

  it('tells of HEAD where it tells of GET, and nowhere else', async () => {
    const allow = async (path: string) => (await api({ ...get(path), method: 'PUT' })).headers.allow;
    expect(await allow('/health')).toBe('GET, HEAD, OPTIONS');
    expect(await allow('/v1/chat/completions')).toBe('POST, OPTIONS');
    expect((await api({ ...get('/v1/chat/completions'), method: 'HEAD' })).status).toBe(405);
  });

  it('answers OPTIONS of an unknown path with 404', async () => {
    expect((await api({ ...get('/v1/nothing'), method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('request body', () => {
  const api = createApi(createContext().context);

  it.each([
    ['none', {}],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['JSON lines', { 'content-type': 'application/jsonl' }],
  ])('is answered with 415 when its type is %s', async (_, headers) => {
    const reply = await api(chat({}, { headers: headers as Record<string, string> }));
    expect(reply.status).toBe(415);
    expect(await readJson(reply)).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('application/json') },
    });
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=utf-8'])(
    'is accepted with the type %s',
    async (type) => {
      expect((await api(chat({}, { headers: { 'content-type': type } }))).status).toBe(200);
    },
  );

  it.each(['', ' \n', '{', '{"model": "tiny",}', 'undefined', "{'model': 'tiny'}", '{"model": "tiny"} x'])(
    'is answered with 400 if it is not JSON: %j',
    async (body) => {
      const reply = await api(post('/v1/chat/completions', body));
      expect(reply.status).toBe(400);
      expect(await readJson(reply)).toMatchObject({ error: { type: 'invalid_request_error', param: null } });
    },
  );

  it.each(['null', '"text"', '5', 'true', '[]', '[{}]'])(
    'is answered with 400 if it is not an object, on every path: %s',
    async (body) => {
      const routes = FAMILIES.flatMap((family) => family.routes).filter((route) => route.body);
      expect(routes.length).toBeGreaterThan(5);
      for (const { method, path } of routes) {
        const reply = await api({ ...post(path, body), method });
        expect(reply.status, path).toBe(400);
        expect(await readBody(reply), path).toContain('The request body must be a JSON object.');
      }
    },
  );

  it('has no effect through __proto__', async () => {
    const body = `{"__proto__": {"stream": true, "model": "nope"}, ${JSON.stringify(hello).slice(1)}`;
    const reply = await api(post('/v1/chat/completions', body));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  });
});

describe('an unexpected error', () => {
  it.each([
    ['a list', get('/v1/models')],
    ['one model', get('/v1/models/tiny')],
    ['a chat', chat()],
    ['a stream', chat({ stream: true })],
  ])('is a plain 500 without internals for %s', async (_, request) => {
    const { context, errors } = createContext({ catalogue: broken });
    const reply = await createApi(context)(request);
    expect(reply.status).toBe(500);
    expect(await readBody(reply)).toBe(JSON.stringify(errorBody(serverError().data)));
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).toContain('secret');
  });

  it('can be read by a web page like any other reply', async () => {
    const { context } = createContext({ catalogue: broken });
    const origin = 'http://localhost:3000';
    const reply = await createApi(context)(get('/v1/models', { origin }));
    expect(reply).toMatchObject({ status: 500, headers: { 'access-control-allow-origin': origin } });
  });
});

describe('the id of a request', () => {
  it('is in the header of every reply, whole, streamed or an error', async () => {
    const api = createApi(createContext().context);
    const headers = { 'content-type': 'application/json', 'x-request-id': 'mine-1' };
    for (const request of [
      get('/health', headers),
      get('/nowhere', headers),
      chat({}, { headers }),
      chat({ stream: true }, { headers }),
    ]) {
      expect((await api(request)).headers['x-request-id']).toBe('mine-1');
    }
    expect((await api(get('/health'))).headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  });

  it('reaches the runner', async () => {
    const runner = createFakeRunner();
    await createApi(createContext({ runner }).context)(
      chat({}, { headers: { 'content-type': 'application/json', 'x-request-id': 'mine-2' } }),
    );
    expect(runner.asked).toMatchObject([{ requestId: 'mine-2' }]);
  });

  it('is logged with the model, the stack and the cause of an error that the client does not see', async () => {
    const broken = new TypeError('secret inside', { cause: new Error('deeper') });
    const runner = createFakeRunner(() => failing([], broken));
    const { context, errors } = createContext({ runner });
    const headers = { 'content-type': 'application/json', 'x-request-id': 'mine-3' };
    const reply = await createApi(context)(chat({}, { headers }));
    expect(reply.status).toBe(500);
    expect(await readBody(reply)).not.toContain('secret');
    expect(errors).toEqual([
      {
        message: 'request failed',
        fields: {
          requestId: 'mine-3',
          model: 'tiny',
          path: '/v1/chat/completions',
          error: 'TypeError: secret inside',
          stack: broken.stack,
          cause: expect.objectContaining({ error: 'Error: deeper' }),
        },
      },
    ]);
  });
});

describe('a server that shuts down', () => {
  const leaving = AbortSignal.abort();

  it('takes no more work, and goes on to tell what it is', async () => {
    const api = createApi(createContext({ leaving }).context);
    const refused = [
      chat({ stream: true }),
      post('/v1/embeddings', { model: 'tiny', input: 'a' }),
      post('/v1/models/pull', { model: 'hf:a/b' }),
      { ...get('/v1/models/tiny'), method: 'DELETE' },
    ];
    for (const request of refused) {
      const reply = await api(request);
      expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      expect(await readJson(reply)).toEqual(errorBody(shuttingDown().data));
    }
    for (const path of ['/health', '/v1/models', '/openapi.json']) expect((await api(get(path))).status).toBe(200);
    expect((await api(get('/ready'))).status).toBe(503);
  });

  it('answers a request that it ends with the reason, though the work never ends', async () => {
    const ending = new AbortController();
    const runner = createFakeRunner(() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }));
    const { context, errors } = createContext({ runner });
    const reply = createApi(context)(chat({}, { signal: ending.signal }));
    ending.abort(shuttingDown());
    expect(await reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(errors).toEqual([]);
  });
});
