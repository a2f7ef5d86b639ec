import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createApi } from '../../src/core/api/api.ts';
import type { Api, ApiRequest } from '../../src/core/api/http/http.ts';
import { type Server, startServer } from '../../src/server/server.ts';
import { createContext } from '../core/api/fixtures.ts';

const HOST = '127.0.0.1';
let server: Server | undefined;

async function listen(api: Api, bodyLimitBytes = 1024): Promise<string> {
  server = await startServer({ api, host: HOST, port: 0, bodyLimitBytes });
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

describe('the HTTP server', () => {
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
    const url = await listen(createApi(createContext({ apiKeys: ['sk-one'] }).context));
    const socket = connect(Number(new URL(url).port), HOST);
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
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
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
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
    const second = startServer({
      api: async () => textReply(''),
      host: HOST,
      port: Number(new URL(url).port),
      bodyLimitBytes: 1,
    });
    await expect(second).rejects.toThrow(/address is in use/);
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
