import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { hostNotAllowed } from '../../../src/api/http/refusals.ts';
import type { ApiKey, ApiKeys } from '../../../src/api/keys/key.ts';
import type { RequestRecord } from '../../../src/api/record.ts';
import { shuttingDown } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import {
  chat,
  collect,
  createContext,
  createFakeRunner,
  get,
  loadedModel,
  modelCard,
  post,
  readBody,
  readJson,
  text,
} from '../fixtures.ts';

const KEYS: Record<string, ApiKey> = {
  'k-limited': {
    name: 'limited',
    models: ['tiny'],
    manages: false,
    priority: 0,
    limits: { requestsPerMinute: 2, tokensPerMinute: null, concurrency: null },
  },
  'k-manager': { name: 'manager', models: null, manages: true, priority: 0, limits: null },
};
const apiKeys: ApiKeys = { required: true, find: (given) => KEYS[given], named: () => undefined };

function house(generate?: Parameters<typeof createFakeRunner>[0]) {
  const records: RequestRecord[] = [];
  const loaded = [loadedModel(), loadedModel({ id: 'secret' })];
  const made = createContext({
    apiKeys,
    cards: [modelCard(), modelCard({ id: 'secret' })],
    runner: createFakeRunner(generate, loaded),
    metrics: async () => 'paddock_ready 1\n',
    observer: { piece: () => {}, ended: (record) => records.push(record) },
  });
  return { records, ...made, api: createApi(made.context) };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
const limited = { headers: bearer('k-limited') };

describe('a key with limits', () => {
  it('sees its own models alone, in every list and by every name', async () => {
    const { api } = house();
    const { data } = await readJson(await api(get('/v1/models', limited.headers)));
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['tiny']);
    expect((await api(get('/v1/models/secret', limited.headers))).status).toBe(404);
    const reply = await api(chat({ model: 'secret' }, limited));
    expect([reply.status, (await readJson(reply)).error.code]).toEqual([404, 'model_not_found']);
    const { models } = await readJson(await api(get('/health', limited.headers)));
    expect(models.map(({ id }: { id: string }) => id)).toEqual(['tiny']);
    const { models: tags } = await readJson(await api(get('/api/tags', limited.headers)));
    expect(tags).toHaveLength(1);
  });

  it('may not manage models or read the metrics', async () => {
    const { api } = house();
    const refused = [
      post('/v1/models/pull', { model: 'hf:a/b' }, limited),
      post('/v1/models/load', { model: 'tiny' }, limited),
      post('/api/pull', { model: 'hf:a/b' }, limited),
      get('/metrics', limited.headers),
    ];
    for (const request of refused) expect((await api(request)).status, request.path).toBe(403);
    expect((await api(get('/metrics', bearer('k-manager')))).status).toBe(200);
  });

  it('reads the metrics like anybody else where they are open', async () => {
    const { context } = house();
    const api = createApi({ ...context, metricsOpen: true });
    for (const headers of [{}, limited.headers, bearer('wrong')])
      expect((await api(get('/metrics', headers))).status).toBe(200);
  });

  it('is told its limits in headers, and refused beyond them in the form of each dialect', async () => {
    const { api } = house();
    const first = await api(chat({}, limited));
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit-requests': '2', 'x-ratelimit-remaining-requests': '1' });
    expect((await api(chat({ stream: true }, limited))).headers).toMatchObject({
      'x-ratelimit-remaining-requests': '0',
    });
    const openai = await api(chat({}, limited));
    expect(openai.status).toBe(429);
    expect(openai.headers).toMatchObject({ 'retry-after': '30', 'x-ratelimit-remaining-requests': '0' });
    expect((await readJson(openai)).error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    const anthropic = await api(post('/v1/messages', {}, limited));
    expect(anthropic.status).toBe(429);
    expect(await readJson(anthropic)).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    const ollama = await api(post('/api/chat', {}, limited));
    expect(ollama.status).toBe(429);
    expect((await readJson(ollama)).error).toContain('may make 2 requests a minute');
    // What asks no model is not counted.
    expect((await api(get('/v1/models', limited.headers))).status).toBe(200);
  });

  it('is named in the record of its requests, and never written out', async () => {
    const { api, records } = house();
    await readBody(await api(chat({ stream: true }, limited)));
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      key: { name: 'limited' },
      route: '/v1/chat/completions',
      status: 200,
      promptTokens: 12,
      cachedTokens: 4,
      completionTokens: 3,
      finish: 'stop',
      error: null,
    });
    expect(JSON.stringify(records)).not.toContain('k-limited');
  });
});

describe('the record of a request', () => {
  const manager = { headers: bearer('k-manager') };

  it('is closed once, at the end of a stream, and at once for a whole reply', async () => {
    const { api, records } = house();
    const reply = await api(chat({ stream: true }, manager));
    expect(records).toEqual([]);
    await readBody(reply);
    expect(records).toHaveLength(1);
    await api(chat({}, manager));
    expect(records).toHaveLength(2);
    expect(records[1]?.firstPiece).toBeGreaterThan(0);
  });

  it('has the error of a refusal, and the template of the path', async () => {
    const { api, records } = house();
    await api(get('/v1/models/no/such', manager.headers));
    await api(get('/nothing', manager.headers));
    await api(get('/v1/models'));
    expect(records.map(({ route, status, error, key }) => [route, status, error, key?.name])).toEqual([
      ['/v1/models/{model_id}', 404, 'model_not_found', 'manager'],
      ['other', 404, 'not_found', 'manager'],
      ['/v1/models', 401, 'invalid_api_key', undefined],
    ]);
  });

  it('is there of a request that the front end refuses', async () => {
    const { api, records } = house();
    const refusal = hostNotAllowed('evil.example');
    const reply = await api({ ...post('/v1/models/load', { model: 'tiny' }, manager), refusal });
    expect([reply.status, (await readJson(reply)).error.code]).toEqual([403, 'host_not_allowed']);
    expect(records).toMatchObject([{ route: 'other', status: 403, error: 'host_not_allowed', key: null }]);
  });

  it('has the path of the route that answers, where several take the same path', async () => {
    const { api, records } = house();
    await api(get('/v1/models/load', manager.headers));
    await api(post('/v1/models/load', {}, manager));
    expect(records.map(({ method, route }) => [method, route])).toEqual([
      ['GET', '/v1/models/{model_id}'],
      ['POST', '/v1/models/load'],
    ]);
  });

  it('is closed when the client leaves its stream, with what it got by then', async () => {
    const { api, records } = house();
    const { body } = await api(chat({ stream: true }, manager));
    for await (const _ of body) break;
    expect(records).toMatchObject([{ status: 200, error: 'client_left' }]);
  });

  /** Runs generations as a pool does: they end, without their last event, when their client leaves or the server ends them. */
  function houseThatAborts() {
    const ending = new AbortController();
    const generate = (_: unknown, signal: AbortSignal): AsyncIterable<GenerationEvent> =>
      (async function* () {
        yield text('a');
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      })();
    const { context, records, errors } = house(generate);
    const api = createApi(context);
    const ask = (stream: boolean) => api(chat({ stream }, { ...manager, signal: ending.signal }));
    return { ending, ask, records, errors };
  }

  it.each([
    ['the client left', undefined, 'client_left'],
    ['the server ended it', shuttingDown(), 'shutting_down'],
  ])('says of a stream that %s', async (_, reason, error) => {
    const { ending, ask, records, errors } = houseThatAborts();
    const { body } = await ask(true);
    const reading = collect(body as AsyncIterable<string>);
    ending.abort(reason);
    await reading;
    expect(records).toMatchObject([{ status: 200, error }]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['the client left', undefined, 499, 'client_left'],
    ['the server ended it', shuttingDown(), 503, 'shutting_down'],
  ])('says of a whole reply that %s', async (_, reason, status, error) => {
    const { ending, ask, records, errors } = houseThatAborts();
    const reply = ask(false);
    ending.abort(reason);
    await reply;
    expect(records).toMatchObject([{ status, error }]);
    expect(errors).toEqual([]);
  });

  it('says that the client left where the work had an answer all the same', async () => {
    const ending = new AbortController();
    const { context, records } = house();
    const tokenize = () => {
      ending.abort();
      return { tokens: [1], pieces: ['a'] };
    };
    const runner = createFakeRunner(undefined, [], { tokenize });
    const api = createApi({ ...context, runner });
    await api(post('/v1/tokenize', { model: 'tiny', content: 'a' }, { ...manager, signal: ending.signal }));
    expect(records).toMatchObject([{ status: 499, error: 'client_left' }]);
  });
});

describe('the tokens per minute of a key', () => {
  it('are no more for a hundred requests at once than for one after another', async () => {
    const key: ApiKey = {
      name: 'poor',
      models: null,
      manages: false,
      priority: 0,
      limits: { requestsPerMinute: null, tokensPerMinute: 100, concurrency: null },
    };
    for (const [more, expected] of [
      // 24 tokens of the prompt and around it, and 16 of the reply: the third may exceed the limit.
      [{ max_tokens: 16 }, 3],
      [{}, 1],
    ] as const) {
      const { context } = house();
      const api = createApi({ ...context, apiKeys: { required: true, find: () => key, named: () => key } });
      const asked = { messages: [{ role: 'user', content: 'x'.repeat(60) }], ...more };
      const replies = await Promise.all(
        Array.from({ length: 100 }, () => api(chat(asked, { headers: bearer('k-poor') }))),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(expected);
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(100 - expected);
    }
  });
});

describe('prompts', () => {
  it('are logged when the server is told to, and not otherwise', async () => {
    for (const logPrompts of [true, false]) {
      const { context } = house();
      const lines: unknown[] = [];
      const info = (message: string, fields?: object) => void lines.push([message, fields]);
      const api = createApi({ ...context, logPrompts, log: { ...context.log, info } });
      await api(chat({ messages: [{ role: 'user', content: 'my secret' }] }, { headers: bearer('k-manager') }));
      expect(JSON.stringify(lines).includes('my secret')).toBe(logPrompts);
    }
  });
});
