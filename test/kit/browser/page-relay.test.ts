import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from './browser.ts';
import { type PageRelay, startPageRelay } from './page-relay.ts';

let origin: Server;
let browser: TestBrowser;
let relay: PageRelay;

beforeAll(async () => {
  origin = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html>');
    if (request.url === '/echo') {
      response.writeHead(418, { 'x-seen': `${request.method} ${request.headers.authorization}` });
      request.pipe(response);
    }
    if (request.url === '/stream') response.write('first');
    if (request.url === '/broken') response.write('half', () => response.destroy());
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
  relay = await startPageRelay(await browser.open(`http://127.0.0.1:${(origin.address() as AddressInfo).port}/`));
});
afterAll(async () => {
  await relay?.close();
  await browser?.close();
  origin?.closeAllConnections();
  origin?.close();
});

describe('the relay into a page', () => {
  it('carries method, headers and bytes there, and status, headers and bytes back', async () => {
    const body = Uint8Array.from({ length: 40_000 }, (_, index) => index % 256);
    const reply = await fetch(`${relay.url}/echo`, { method: 'POST', body, headers: { authorization: 'Bearer x' } });
    expect(reply.status).toBe(418);
    expect(reply.headers.get('x-seen')).toBe('POST Bearer x');
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(body);
  });

  it('streams a body chunk by chunk, and aborts the fetch of the page when the client leaves', async () => {
    const left = once(origin, 'request').then(([, response]) => once(response, 'close'));
    const gone = new AbortController();
    const reply = await fetch(`${relay.url}/stream`, { signal: gone.signal });
    const first = await reply.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe('first');
    gone.abort();
    await left;
  });

  it('cuts the connection where the fetch of the page fails', async () => {
    const reply = await fetch(`${relay.url}/broken`);
    await expect(reply.text()).rejects.toThrow();
  });

  it('refuses what a page may not say', async () => {
    const reply = await fetch(`${relay.url}/echo`, { headers: { origin: 'http://localhost:5173' } });
    expect(reply.status).toBe(501);
    expect(await reply.text()).toBe("A page can't send origin.");
  });
});
