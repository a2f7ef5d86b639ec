import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { corsHeaders } from '../../../src/api/http/cors.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { chat, createContext, get } from '../fixtures.ts';

describe('the CORS headers', () => {
  it('let a page read that may call at all', () => {
    for (const reach of ['inference', 'all'] as const)
      expect(corsHeaders({ origin: 'http://localhost' }, reach)).toEqual({
        vary: 'origin',
        'access-control-allow-origin': 'http://localhost',
        'access-control-expose-headers': 'x-request-id, request-id',
      });
  });

  it('let no other page read, and tell caches that the answer depends on the origin', () => {
    expect(corsHeaders({ origin: 'https://evil.example' }, 'none')).toEqual({ vary: 'origin' });
  });

  it('are not needed when no browser asks', () => {
    expect(corsHeaders({}, 'all')).toEqual({});
  });
});

describe('the API asked by a web page', () => {
  const origin = 'http://localhost:5173';
  const pages = { origins: ['https://app.example'], local: 'inference' as const };
  const { context } = createContext({ apiKeys: plainKeys(['sk-one']), pages });
  const api = createApi(context);
  const preflight = (path: string, headers: Record<string, string> = { origin }) =>
    api({ ...get(path, headers), method: 'OPTIONS' });

  it('answers a preflight without a key', async () => {
    const reply = await preflight('/v1/chat/completions', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
    });
    expect(reply).toMatchObject({ status: 204, body: '' });
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
    });
  });

  it('allows the headers that the SDK of Anthropic sends from a page', async () => {
    const asked =
      'anthropic-beta,anthropic-dangerous-direct-browser-access,anthropic-version,content-type,x-api-key,x-stainless-os';
    const { headers } = await preflight('/v1/messages', { origin, 'access-control-request-headers': asked });
    expect(headers['access-control-allow-headers']).toBe(asked);
    expect(headers['access-control-allow-methods']).toBe('POST');
  });

  it('allows the usual headers when a preflight names none', async () => {
    const { headers } = await preflight('/v1/models');
    expect(headers['access-control-allow-headers']).toBe('authorization, content-type');
    expect(headers['access-control-allow-methods']).toBe('GET');
  });

  it('allows a public page to ask a private address, when the browser asks', async () => {
    const asked = await preflight('/v1/models', { origin, 'access-control-request-private-network': 'true' });
    expect(asked.headers['access-control-allow-private-network']).toBe('true');
    expect((await preflight('/v1/models')).headers).not.toHaveProperty('access-control-allow-private-network');
  });

  it('allows nothing to a foreign page', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-private-network': 'true' };
    const reply = await preflight('/v1/chat/completions', headers);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('lets the page read replies', async () => {
    const reply = await api(get('/v1/models', { origin: 'https://app.example', authorization: 'Bearer sk-one' }));
    expect(reply).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'https://app.example' } });
  });

  it('lets the page read errors', async () => {
    const reply = await api(get('/v1/models', { origin }));
    expect(reply).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': origin } });
  });

  it('lets the page read streams', async () => {
    const headers = { origin, authorization: 'Bearer sk-one', 'content-type': 'application/json' };
    const reply = await api(chat({ stream: true }, { headers }));
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'content-type': expect.stringContaining('text/event-stream'),
    });
  });
});
