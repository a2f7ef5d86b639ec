import { describe, expect, it } from 'vitest';
import { createApi, FAMILIES, ROUTES } from '../../src/api/api.ts';
import { defineFamily } from '../../src/api/family.ts';
import { type Dialect, openAiErrors } from '../../src/api/http/dialect.ts';
import { jsonReply } from '../../src/api/http/http.ts';
import { anthropicErrors } from '../../src/api/messages/errors.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { object, string } from '../../src/api/openapi/json-schema.ts';
import { createRouteTable } from '../../src/api/routes.ts';
import { invalidRequest, overloaded } from '../../src/contract/errors.ts';
import { createContext, createFakeRunner, get, post, readJson } from './fixtures.ts';

describe('the dialect of a path', () => {
  it.each([
    ['/v1/chat/completions', 'Error'],
    ['/v1/messages', 'AnthropicError'],
    ['/v1/messages/', 'AnthropicError'],
    ['/v1/messages/count_tokens', 'AnthropicError'],
    ['/v1/messages/nothing', 'AnthropicError'],
    ['/v1/messages//', 'AnthropicError'],
    ['/messages', 'AnthropicError'],
    ['/messages/nothing', 'AnthropicError'],
    ['/v1/messages-of-others', 'Error'],
    ['/v1/v1/messages', 'Error'],
    ['/api/chat', 'OllamaError'],
    ['/api/nothing', 'OllamaError'],
    ['/api/', 'OllamaError'],
    ['/api', 'Error'],
    ['/v1/api/chat', 'Error'],
    ['/health', 'Error'],
    ['/', 'Error'],
    ['', 'Error'],
  ])('of %s has the schema %s', (path, schema) => {
    expect(ROUTES.dialectOf(path).schema).toBe(schema);
  });

  it('is the same at all paths below those of a family with a dialect', () => {
    for (const { routes, dialect = openAiErrors } of FAMILIES)
      for (const { path } of routes) expect(ROUTES.dialectOf(`${path}/nothing`), path).toBe(dialect);
  });
});

describe('a family with a dialect of its own', () => {
  const dialect: Dialect = {
    schema: 'MadeUpError',
    body: ({ code }, requestId) => ({ oops: code, requestId }),
    status: ({ status }) => (status === 503 ? 599 : status),
  };
  const madeUp = defineFamily({
    dialect,
    errorPaths: ['/v1/made-up'],
    routes: [
      {
        method: 'POST',
        path: '/v1/made-up/{name}',
        handler: (_, __, name) => {
          if (name === 'full') throw overloaded('full', 5);
          if (name === 'wrong') throw invalidRequest('wrong');
          return jsonReply({ name });
        },
        id: 'makeUp',
        summary: 'Made up.',
        response: 'MadeUp',
      },
    ],
    schemas: { MadeUp: object({ name: string }), MadeUpError: object({ oops: string, requestId: string }) },
  });
  const families = [...FAMILIES, madeUp];
  const api = createApi(createContext().context, createRouteTable(families));

  it('needs nothing but its place in the list to answer and to fail in its own words', async () => {
    expect(await readJson(await api(post('/made-up/a%20b/', {})))).toEqual({ name: 'a b' });
    for (const [request, status, code] of [
      [post('/v1/made-up/wrong', {}), 400, 'invalid_request'],
      [post('/v1/made-up/full', {}), 599, 'overloaded'],
      [post('/v1/made-up/%', {}), 400, 'invalid_request'],
      [get('/v1/made-up/wrong'), 405, 'method_not_allowed'],
      [get('/v1/made-up'), 404, 'not_found'],
    ] as const) {
      const reply = await api(request);
      expect(reply.status, request.path).toBe(status);
      expect(await readJson(reply)).toEqual({ oops: code, requestId: reply.headers['x-request-id'] });
    }
  });

  it('has its errors in the OpenAPI document', () => {
    expect(openApiDocument(families, false).paths['/v1/made-up/{name}']?.post).toMatchObject({
      responses: {
        default: { content: { 'application/json': { schema: { $ref: '#/components/schemas/MadeUpError' } } } },
      },
    });
  });

  it('leaves the errors of all other paths as they are', async () => {
    const routes = createRouteTable(families);
    expect(routes.dialectOf('/v1/messages/nothing')).toBe(anthropicErrors);
    expect(routes.dialectOf('/v1/made-up-by-others')).toBe(openAiErrors);
  });
});

describe('a route that reports state', () => {
  it('is each GET route whose handler reads from the runner which models are loaded, and no other', async () => {
    for (const { method, path, reportsState = false } of FAMILIES.flatMap(({ routes }) => routes)) {
      if (method !== 'GET') continue;
      let reads = 0;
      const noted =
        <T>(value: T) =>
        () => {
          reads += 1;
          return value;
        };
      const runner = { ...createFakeRunner(), loaded: noted([]), moving: noted([]) };
      await createApi(createContext({ runner }).context)(get(path.replace(/\{\w+\}/, 'tiny')));
      expect(reads > 0, path).toBe(reportsState);
    }
  });

  it('takes no request that changes anything', () => {
    const routes = FAMILIES.flatMap((family) => family.routes).filter((route) => route.reportsState);
    expect(routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /api/ps',
      'GET /health',
      'GET /props',
      'GET /slots',
      'GET /v1/models',
      'GET /v1/models/{model_id}',
      'GET /v1/starters',
      'POST /api/show',
    ]);
  });
});
