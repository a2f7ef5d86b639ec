import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_CONFIG } from '../../../web/config.ts';
import { keepAwake } from '../../../web/leader/keep-awake.ts';
import { connectionLock, type HomeServer, type PageMessage, SERVER_STATE } from '../../../web/protocol.ts';
import { createRoam, type Roam } from '../../../web/service-worker/roam.ts';
import { type FakeLocks, fakeLocks } from '../support/locks.ts';

const EVENT = 'data: {"choices":[]}\n\n';

let upstream: Server;
let seen: { method: string | undefined; url: string | undefined; headers: Record<string, unknown>; body: string }[];
let breakOff: () => void;
/** Resolves when the connection of the stream is closed. */
let closed: Promise<unknown>;
let server: HomeServer;
let time: number;
let locks: FakeLocks;
let roam: Roam;

/** A server with a health, an echo, and a stream that stays open. */
beforeEach(async () => {
  seen = [];
  time = 0;
  upstream = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    if (request.url?.endsWith('/health')) return void response.end('{"status":"ok"}');
    response.setHeader('x-request-id', 'theirs');
    if (!body.includes('stream'))
      return void response.setHeader('content-type', 'application/json').end('{"from":"server"}');
    response.setHeader('content-type', 'text/event-stream');
    response.write(EVENT);
    breakOff = () => response.destroy();
    closed = new Promise((resolve) => response.once('close', resolve));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  server = { url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/base/`, key: 'secret' };
  locks = fakeLocks();
  roam = createRoam({ readConfig: async () => ({ ...DEFAULT_CONFIG, server }), ask: fetch, now: () => time, locks });
});
afterEach(() => stop());

function stop(): Promise<void> {
  upstream.closeAllConnections();
  return new Promise((resolve) => upstream.close(() => resolve()));
}

const local = async () => Response.json({ from: 'browser' });

function get(path: string): Promise<Response> {
  return roam.answer({ request: new Request(`https://site.example${path}`), path }, local);
}

function post(path: string, body: string, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer of the page', cookie: 'a=b' };
  const request = new Request(`https://site.example/folder${path}?q=1`, {
    method: 'POST',
    headers,
    body,
    ...(signal && { signal }),
  });
  return roam.answer({ request, path }, local);
}

describe('a page with a server', () => {
  it('is answered by it while it answers: path, query, body and its key are passed on', async () => {
    const response = await post('/v1/chat/completions', '{}');
    expect(await response.json()).toEqual({ from: 'server' });
    expect(response.headers.get(SERVER_STATE)).toBe('answers');
    expect(response.headers.get('x-request-id')).toBe('theirs');
    expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/base/v1/chat/completions?q=1', body: '{}' });
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer secret' });
    expect(seen.at(-1)?.headers).not.toHaveProperty('cookie');
  });

  it('is answered by its own engine while the server is silent, and by the server again', async () => {
    const { port } = upstream.address() as AddressInfo;
    await stop();
    const response = await post('/v1/chat/completions', '{}');
    expect(await response.json()).toEqual({ from: 'browser' });
    expect(response.headers.get(SERVER_STATE)).toBe('silent');
    await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
    expect((await get('/v1/models')).headers.get(SERVER_STATE)).toBe('silent');
    time += 3000;
    expect((await get('/v1/models')).headers.get(SERVER_STATE)).toBe('answers');
  });

  it('is told when the server goes between two requests: what only reads is answered, nothing is done twice', async () => {
    await get('/v1/models');
    await stop();
    const refused = await post('/v1/chat/completions', '{}');
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'server_gone']);
    expect(await (await get('/v1/models')).json()).toEqual({ from: 'browser' });
    expect(await (await post('/v1/chat/completions', '{}')).json()).toEqual({ from: 'browser' });
  });

  it('keeps what a stream has said when the server goes, and is told why it ends', async () => {
    const response = await post('/v1/chat/completions', '{"stream":true}');
    setTimeout(() => breakOff(), 50);
    const text = await response.text();
    expect(text.startsWith(EVENT)).toBe(true);
    expect(text).toContain('"code":"server_gone"');
    expect(text).toContain(`${new URL(server.url).host} has gone away`);
  });

  it('ends the work of the server when it stops reading', async () => {
    const response = await post('/v1/chat/completions', '{"stream":true}');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await closed;
  });

  it('ends a stream with the abort when the page aborts it: the server is still there', async () => {
    const page = new AbortController();
    const response = await post('/v1/chat/completions', '{"stream":true}', page.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    page.abort();
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
  });

  it('sends no form of another site on with the key', async () => {
    const request = new Request('https://site.example/v1/models/load', { method: 'POST', body: 'x=1' });
    const form = new Proxy(request, {
      get: (target, name) => (name === 'mode' ? 'navigate' : Reflect.get(target, name, target)),
    });
    const response = await roam.answer({ request: form, path: '/v1/models/load' }, local);
    expect(await response.json()).toEqual({ from: 'browser' });
    expect(seen).toEqual([]);
  });

  it('asks nobody without one', async () => {
    const alone = createRoam({ readConfig: async () => DEFAULT_CONFIG, ask: fetch, now: () => time, locks });
    const request = new Request('https://site.example/health');
    const response = await alone.answer({ request, path: '/health' }, local);
    expect(response.headers.get(SERVER_STATE)).toBeNull();
    expect(seen).toEqual([]);
  });

  it('knows a server that answers but lets this origin read nothing', async () => {
    const ask: typeof fetch = async (_, init) => {
      if (init?.mode === 'no-cors') return new Response(null);
      throw new TypeError('Failed to fetch');
    };
    const refused = createRoam({
      readConfig: async () => ({ ...DEFAULT_CONFIG, server }),
      ask,
      now: () => time,
      locks,
    });
    const response = await refused.answer(
      { request: new Request('https://site.example/health'), path: '/health' },
      local,
    );
    expect(response.headers.get(SERVER_STATE)).toBe('refuses');
  });
});

describe('a relayed reply', () => {
  const connections = async () => {
    const { held = [] } = await locks.query();
    return held.filter(({ name = '' }) => name.startsWith(connectionLock(''))).length;
  };

  it('has the service worker kept awake from the question to the end of the reply', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const told: PageMessage[] = [];
    const letSleep = keepAwake({ locks, wake: (message) => told.push(message) });
    try {
      const response = await post('/v1/chat/completions', '{"stream":true}');
      await vi.advanceTimersByTimeAsync(30_000);
      expect(told).toHaveLength(3);
      breakOff();
      await response.text();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(told).toHaveLength(3);
    } finally {
      letSleep();
      vi.useRealTimers();
    }
  });

  it('holds a lock while the server computes a whole reply, which is let go once it is read', async () => {
    let whileAsked = 0;
    const ask: typeof fetch = async (...asked) => {
      whileAsked = await connections();
      return fetch(...asked);
    };
    const own = createRoam({ readConfig: async () => ({ ...DEFAULT_CONFIG, server }), ask, now: () => time, locks });
    const request = new Request('https://site.example/v1/completions', { method: 'POST', body: '{}' });
    const response = await own.answer({ request, path: '/v1/completions' }, local);
    expect(whileAsked).toBe(1);
    expect(await response.json()).toEqual({ from: 'server' });
    expect(await connections()).toBe(0);
  });

  it('lets go of its lock when the page stops reading, when the page aborts, and when the server is gone', async () => {
    const stopped = await post('/v1/chat/completions', '{"stream":true}');
    expect(await connections()).toBe(1);
    await stopped.body?.cancel();
    expect(await connections()).toBe(0);

    const leaving = new AbortController();
    const aborted = await post('/v1/chat/completions', '{"stream":true}', leaving.signal);
    expect(await connections()).toBe(1);
    leaving.abort();
    await expect(aborted.text()).rejects.toThrow();
    expect(await connections()).toBe(0);

    await stop();
    expect((await post('/v1/chat/completions', '{}')).status).toBe(503);
    expect(await connections()).toBe(0);
  });
});
