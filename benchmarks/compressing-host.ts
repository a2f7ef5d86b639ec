import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compress, type Encoding, pickEncoding } from '../src/server/compress.ts';
import { contentTypeOf, listPaddockSite } from '../src/site-files.ts';

/** What a request was answered with. */
export interface Answered {
  path: string;
  /** The bytes of the body as they went out. */
  bytes: number;
  encoding: Encoding | null;
}

/** A host of the static site that compresses, as web servers can be set to do. */
export interface CompressingHost extends AsyncDisposable {
  port: number;
  /** The answers since this was last called. */
  takeAnswers(): Answered[];
}

/** The weights of a model and fonts do not shrink. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest\+json|wasm)$|image\/svg)/;

/** Each file is compressed once. `compresses` is false for a host that sends files as they are. */
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
  // No visit is to wait for the compression.
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
