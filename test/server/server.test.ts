// @module-tag slow
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.ts';
import type { Api, ApiRequest } from '../../src/api/http/http.ts';
import { plainKeys } from '../../src/api/keys/plain.ts';
import type { ApiError } from '../../src/contract/errors.ts';
import { chooseHttp, type Http } from '../../src/server/http.ts';
import { type Server, startHttpServer } from '../../src/server/server.ts';
import { createContext } from '../api/fixtures.ts';

const HOST = '127.0.0.1';
const BODY_LIMITS = { bytes: 1024, inFlightBytes: 4096, timeMs: 10_000 };
let server: Server | undefined;
let http: Http;

async function listen(api: Api): Promise<string> {
  server = await startHttpServer({ api, host: HOST, port: 0, allowedHosts: [], bodyLimits: BODY_LIMITS, http });
  return `http://${HOST}:${server.port}`;
}

afterEach(async () => {
  await server?.close(0);
  server = undefined;
});

const textReply = (body: string | AsyncIterable<string>) => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body,
});

describe.each(['auto', 'node'])('the HTTP server, of %s', (wanted) => {
  beforeAll(() => {
    http = chooseHttp(wanted);
  });

  it('passes on the method, the undecoded path and query, lower-case headers and the whole body', async () => {
    const seen: ApiRequest[] = [];
    const bodies: string[] = [];
    const url = await listen(async (request) => {
      seen.push(request);
      bodies.push(await request.text());
      return textReply('ok');
    });
    await fetch(`${url}/v1/a%2Fb?x=1`, { method: 'POST', headers: { 'X-Custom': 'Yes' }, body: 'größe 😀' });
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/v1/a%2Fb', query: 'x=1' });
    expect(bodies).toEqual(['größe 😀']);
    expect(seen[0]?.headers).toMatchObject({ 'x-custom': 'Yes' });
  });

  it('sends status, headers and body as they are', async () => {
    const url = await listen(async () => ({ status: 418, headers: { 'x-pot': 'tea' }, body: 'short' }));
    const response = await fetch(url);
    expect(response.status).toBe(418);
    expect(response.headers.get('x-pot')).toBe('tea');
    expect(await response.text()).toBe('short');
  });

  it('sends each piece of a stream as soon as it comes', async () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const url = await listen(async () =>
      textReply(
        (async function* () {
          yield 'one ';
          await released;
          yield 'two';
        })(),
      ),
    );
    const reader = (await fetch(url)).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('one ');
    release();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
  });

  it('sends what comes at once in one go, and all that comes before the end', async () => {
    const url = await listen(async () =>
      textReply(
        (async function* () {
          yield 'one ';
          yield 'two ';
          await new Promise((resolve) => setTimeout(resolve, 50));
          yield 'three';
        })(),
      ),
    );
    const chunks: string[] = [];
    const reader = (await fetch(url)).body?.getReader();
    for (let next = await reader?.read(); next?.value; next = await reader?.read())
      chunks.push(new TextDecoder().decode(next.value));
    expect(chunks).toEqual(['one two ', 'three']);
  });

  it('answers a body over the limit with 413', async () => {
    const url = await listen(createApi(createContext().context));
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(2000),
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error: { code: 'body_too_large', message: expect.stringContaining('1024') },
    });
  });

  it('answers a request without a key before its body has come', async () => {
    const url = await listen(createApi(createContext({ apiKeys: plainKeys(['sk-one']) }).context));
    const socket = connect(Number(new URL(url).port), HOST);
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
    socket.write(`${head}content-length: 1000\r\n\r\n{`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('aborts the request and ends its stream when the client leaves', async () => {
    let ended: () => void = () => {};
    const streamEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    let request: ApiRequest | undefined;
    const url = await listen(async (given) => {
      request = given;
      return textReply(
        (async function* () {
          try {
            for (let piece = 0; !given.signal.aborted; piece++) {
              yield `${piece}\n`;
              await new Promise(setImmediate);
            }
          } finally {
            ended();
          }
        })(),
      );
    });
    const gone = new AbortController();
    const response = await fetch(url, { signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
    await streamEnded;
    expect(request?.signal.aborted).toBe(true);
  });

  it('sends no faster than the client reads, and buffers little for one that does not read', async () => {
    const piece = 'x'.repeat(64 * 1024);
    let produced = 0;
    const url = await listen(async () =>
      textReply(
        (async function* () {
          for (; produced < 4096; produced++) yield piece;
        })(),
      ),
    );
    const socket = connect(Number(new URL(url).port), HOST);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('readable', resolve));
    // The server could send 256 MB. Until the client reads, it sends only what fits the kernel's socket buffers.
    let last = -1;
    while (produced !== last) {
      last = produced;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(produced).toBeLessThan(1024);
    socket.destroy();
  });

  it('refuses to start on a port that is taken', async () => {
    const url = await listen(async () => textReply('first'));
    const second = startHttpServer({
      api: async () => textReply(''),
      host: HOST,
      port: Number(new URL(url).port),
      allowedHosts: [],
      bodyLimits: BODY_LIMITS,
      http,
    });
    await expect(second).rejects.toThrow(/address (is )?(already )?in use/);
  });

  it('tells the client of a request that it ends when it closes, in a stream too', async () => {
    const url = await listen(async ({ path, signal }) => {
      const ended = new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => resolve((signal.reason as ApiError).data.code ?? ''));
      });
      if (path === '/whole') return textReply(await ended);
      return textReply(
        (async function* () {
          yield 'begun ';
          yield await ended;
        })(),
      );
    });
    const whole = fetch(`${url}/whole`).then((response) => response.text());
    const stream = (await fetch(`${url}/stream`)).text();
    await server?.close(0);
    expect([await whole, await stream]).toEqual(['shutting_down', 'begun shutting_down']);
  });

  it('closes within its time though a client does not read and a request never ends', async () => {
    const url = await listen(async ({ path }) => {
      if (path === '/hang') return new Promise(() => {});
      return textReply(
        (async function* () {
          for (;;) yield 'x'.repeat(64 * 1024);
        })(),
      );
    });
    const sockets = ['/hang', '/flood'].map((path) => {
      const socket = connect(Number(new URL(url).port), HOST);
      socket.on('error', () => {}).write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return socket;
    });
    await new Promise((resolve) => sockets[1]?.once('readable', resolve));
    const begun = performance.now();
    await server?.close(100);
    expect(performance.now() - begun).toBeLessThan(10_000);
    for (const socket of sockets) socket.destroy();
  });

  it('accepts connections in its lame-duck time, and none after it', async () => {
    let finish: (reply: string) => void = () => {};
    const held = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const url = await listen(async ({ path }) => textReply(path === '/held' ? await held : 'quick'));
    const running = fetch(`${url}/held`);
    const ask = async () => (await fetch(url, { headers: { connection: 'close' } })).text();
    expect(await ask()).toBe('quick');
    const closed = server?.close(10_000, 300);
    expect(await ask()).toBe('quick');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(ask()).rejects.toThrow('fetch failed');
    finish('held');
    expect(await (await running).text()).toBe('held');
    await closed;
  });

  it('sends no body in reply to HEAD', async () => {
    const url = await listen(async () => textReply('four'));
    const response = await fetch(url, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe('4');
    expect(await response.text()).toBe('');
  });

  it('lets a running request end while it closes', async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let arrived: () => void = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const url = await listen(async () => {
      arrived();
      await finished;
      return textReply('done');
    });
    const response = fetch(url);
    await arrival;
    const closed = server?.close(10_000);
    finish();
    expect(await (await response).text()).toBe('done');
    await closed;
  });
});
