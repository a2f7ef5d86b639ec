import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { finished } from 'node:stream/promises';
import { contentTypeOf } from '../../../src/site-files.ts';

export interface StaticSite extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
  /** The requested paths so far, in order. */
  requests: string[];
  /** The paths that answer with a 500. Tests may change the set. */
  failing: Set<string>;
  /** Holds the responses of a path. Returns the function that releases them. */
  hold(path: string): () => void;
  /** Stops the server and cuts all connections. */
  stop(): Promise<void>;
}

export interface SiteContent {
  /** Folders by path prefix; the first matching prefix counts: `{ '/models': folder, '/': 'dist-web' }`. */
  folders: Record<string, string>;
  /** Files by their whole path. They take precedence over the folders. */
  files?: Record<string, string>;
}

/** Serves files on a free loopback port with no headers but the type and the length, as a simple web host does. */
export async function startStaticSite({ folders, files = {} }: SiteContent): Promise<StaticSite> {
  const requests: string[] = [];
  const failing = new Set<string>();
  const held = new Map<string, Promise<void>>();
  const answer = async (path: string, response: ServerResponse) => {
    await held.get(path);
    const text = files[path];
    if (failing.has(path)) response.writeHead(500).end();
    else if (text === undefined) await sendFile(findFile(folders, path), response);
    else sendText(path, text, response);
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    requests.push(path);
    answer(path, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    failing,
    hold(path) {
      let release = () => {};
      const holding = new Promise<void>((resolve) => {
        release = resolve;
      });
      held.set(path, holding);
      return release;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function findFile(folders: Record<string, string>, path: string): string | undefined {
  const whole = normalize(path.endsWith('/') ? `${path}index.html` : path);
  const prefix = Object.keys(folders).find((start) => whole.startsWith(start));
  return prefix && join(folders[prefix] as string, whole.slice(prefix.length));
}

function sendText(path: string, text: string, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': extname(path) === '' ? 'text/plain' : contentTypeOf(path) }).end(text);
}

async function sendFile(file: string | undefined, response: ServerResponse): Promise<void> {
  const found = file === undefined ? null : await stat(file).catch(() => null);
  if (!file || !found?.isFile()) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.');
    return;
  }
  response.writeHead(200, {
    'content-type': contentTypeOf(file),
    'content-length': found.size,
  });
  await finished(createReadStream(file).pipe(response));
}
