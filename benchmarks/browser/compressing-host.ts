import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compress, type Encoding, pickEncoding } from '../../src/server/compress.ts';
import { contentTypeOf, listPaddockSite } from '../../src/site-files.ts';

/** The answer to a request. */
export interface Answered {
  path: string;
  /** The bytes of the body as sent, compressed or not. */
  bytes: number;
  encoding: Encoding | null;
}

/** A host of the static site that can compress files, as web servers do. */
export interface CompressingHost extends AsyncDisposable {
  port: number;
  /** Returns the answers since the last call. */
  takeAnswers(): Answered[];
}

/** The endings of files that compression does not make smaller: model weights and fonts. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest\+json|wasm)$|image\/svg)/;

/** Starts a host that compresses each file once. With `compresses` false, it sends files unchanged. */
export async function startCompressingHost(compresses: boolean): Promise<CompressingHost> {
  const site = await listPaddockSite();
  const bodies = new Map<string, Promise<Buffer>>();
  const bodyOf = (file: string, encoding: Encoding | null) => {
    const key = `${encoding}:${file}`;
    const reading = readFile(file);
    const body = bodies.get(key) ?? (encoding ? reading.then((content) => compress(content, encoding)) : reading);
    bodies.set(key, body);
    return body;
  };
  let answers: Answered[] = [];
  const answer = async (path: string, headers: IncomingHttpHeaders, response: ServerResponse) => {
    const file = site.get(path === '/' ? 'index.html' : path.slice(1));
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const type = contentTypeOf(file);
    const encoding =
      compresses && COMPRESSIBLE.test(type) ? pickEncoding(String(headers['accept-encoding'] ?? '')) : null;
    const body = await bodyOf(file, encoding);
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
    if (headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    answers.push({ path, bytes: body.length, encoding });
    const about = { 'content-type': type, 'content-length': body.length, vary: 'accept-encoding', etag };
    response.writeHead(200, { ...about, ...(encoding && { 'content-encoding': encoding }) }).end(body);
  };
  const server = createServer(({ url = '/', headers }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://site').pathname);
    answer(path, headers, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Files are compressed before the first visit, so that no visit waits for it.
  await Promise.all(
    [...site.values()].flatMap((file) => (compresses ? [bodyOf(file, 'gzip'), bodyOf(file, 'br')] : [])),
  );
  return {
    port: (server.address() as AddressInfo).port,
    takeAnswers: () => {
      const taken = answers;
      answers = [];
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
