import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';

/**
 * Headers that are not forwarded: they describe the connection to the relay or the calling program, and the page sets
 * its own.
 */
const OF_THE_CALLER = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'sec-fetch-mode',
]);

/**
 * Headers that only the browser may set and that change the reply. A request with one of them is refused, since the
 * relay would alter it.
 */
const OF_THE_BROWSER =
  /^(origin|referer|cookie|date|dnt|expect|te|trailer|upgrade|via|access-control-request-.*|sec-.*|proxy-.*)$/;

/** Response headers that are not forwarded: the page's fetch has already decoded the body that they describe. */
const OF_THE_TRANSFER = new Set(['content-length', 'content-encoding', 'transfer-encoding']);

export interface PageRelay extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** A request in the form that the page's fetch takes. */
interface CarriedRequest {
  id: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  /** The body, or the URL from which the page fetches a large one; null if there is none. */
  body: { text: string } | { url: string } | null;
}

/** A running request. */
interface Call {
  response: ServerResponse;
  body: Buffer;
}

/** A body of so many bytes or more is fetched by the page: tens of megabytes are too much for the DevTools protocol. */
const LARGE_BYTES = 2 ** 16;

/** The path at which the relay serves the body of a call, followed by the id of the call. */
const BODY_PATH = '/relayed-body/';

/** A message from the page about its reply. The end and failures come with the call itself. Bytes are in base64. */
type Told =
  | { kind: 'head'; status: number; headers: [name: string, value: string][] }
  | { kind: 'chunk'; bytes: string };

/** The state that `carryInPage` keeps in the page. */
interface RelayedPage {
  paddockTell(id: string, told: Told): Promise<void>;
  paddockCalls?: Map<string, AbortController>;
}

/**
 * Opens a loopback server that sends every request with the page's `fetch`, so that the service worker answers it. The
 * reply streams back chunk by chunk; a client that leaves aborts the page's fetch; a fetch that fails cuts the
 * connection. Headers that no page may set are refused with a 501 that names them.
 */
export async function startPageRelay(page: Page): Promise<PageRelay> {
  const calls = new Map<string, Call>();
  await page.exposeFunction('paddockTell', (id: string, told: Told) => {
    const response = calls.get(id)?.response;
    if (response && !response.destroyed) pass(told, response);
  });
  const server = createServer((request, response) => {
    const { url: path = '/' } = request;
    if (path.startsWith(BODY_PATH)) {
      const { body } = calls.get(path.slice(BODY_PATH.length)) ?? {};
      response.writeHead(body ? 200 : 404, { 'access-control-allow-origin': '*' }).end(body);
    } else {
      carry({ page, url, calls }, request, response).catch(() => response.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close, [Symbol.asyncDispose]: close };
}

interface Relay {
  page: Page;
  url: string;
  calls: Map<string, Call>;
}

async function carry({ page, url, calls }: Relay, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const names = Object.keys(request.headers);
  const impossible = names.filter((name) => OF_THE_BROWSER.test(name) && !OF_THE_CALLER.has(name));
  if (impossible.length > 0) {
    response.writeHead(501).end(`A page can't send ${impossible.join(', ')}.`);
    return;
  }
  const id = randomUUID();
  const body = await buffer(request);
  const carried: CarriedRequest = {
    id,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: names.filter((name) => !OF_THE_CALLER.has(name)).map((name) => [name, String(request.headers[name])]),
    body: bodyOf(body, url + BODY_PATH + id),
  };
  if (response.destroyed) return;
  calls.set(id, { response, body });
  response.on('close', () => {
    // A response also closes after its regular end, when there is nothing to abort.
    if (!response.writableFinished) page.evaluate(abortInPage, id).catch(() => {});
  });
  try {
    await page.evaluate(carryInPage, carried);
    response.end();
  } finally {
    calls.delete(id);
  }
}

/** A body that is no UTF-8 would be altered as text. */
function bodyOf(body: Buffer, url: string): CarriedRequest['body'] {
  if (body.length === 0) return null;
  return body.length < LARGE_BYTES && isUtf8(body) ? { text: body.toString() } : { url };
}

function pass(told: Told, response: ServerResponse): void {
  if (told.kind === 'chunk') {
    response.write(Buffer.from(told.bytes, 'base64'));
    return;
  }
  response.writeHead(told.status, told.headers.filter(([name]) => !OF_THE_TRANSFER.has(name)).flat());
  response.flushHeaders();
}

/** Runs in the page, so it uses nothing from this module. */
async function carryInPage({ id, method, path, headers, body: carried }: CarriedRequest): Promise<void> {
  const page = globalThis as unknown as RelayedPage;
  page.paddockCalls ??= new Map();
  const call = new AbortController();
  page.paddockCalls.set(id, call);
  try {
    const fetched = carried && 'url' in carried && (await fetch(carried.url, { signal: call.signal }));
    // Bytes: with a text, the page would add a Content-Type.
    const body = fetched
      ? await fetched.arrayBuffer()
      : carried && 'text' in carried && new TextEncoder().encode(carried.text);
    const response = await fetch(path, { method, headers, signal: call.signal, ...(body && { body }) });
    const told = [page.paddockTell(id, { kind: 'head', status: response.status, headers: [...response.headers] })];
    for await (const chunk of response.body ?? []) {
      let bytes = '';
      // The arguments of one call are limited.
      for (let at = 0; at < chunk.length; at += 8192) bytes += String.fromCharCode(...chunk.subarray(at, at + 8192));
      told.push(page.paddockTell(id, { kind: 'chunk', bytes: btoa(bytes) }));
    }
    await Promise.all(told);
  } finally {
    page.paddockCalls.delete(id);
  }
}

/** Runs in the page. */
function abortInPage(id: string): void {
  (globalThis as unknown as RelayedPage).paddockCalls?.get(id)?.abort();
}
