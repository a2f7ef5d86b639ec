import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { contentTypeOf } from '../site-files.ts';

/** The files of a static site. Each is served at its path in the site; `index.html` is also served at `/`. */
export interface StaticFiles {
  /** True if this request is for one of the files, so that `send` has to answer it. */
  has(method: string, path: string): boolean;
  /** Answers with the file. Reads the request before it awaits anything. */
  send(res: HttpResponse, req: HttpRequest): Promise<void>;
}

/** Paths that belong to the API, even if the site has files with these names. */
const API_PATH = /^\/(?:v1(?:\/|$)|health$|openapi\.json$)/;

/** A page may run its own files, call this server, and show images and play recordings that it has itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  'media-src blob: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Record<string, string> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // File names are the same in every build, so browsers must check the tag before they use a copy.
  'cache-control': 'no-cache',
};

const NOT_BUILT = 'The chat page is not built: npm run build makes it. The API is under /v1.\n';

interface StaticFile {
  content: Buffer;
  etag: string;
}

/**
 * Serves the files of a site. `site` maps paths in the site to paths on the disk. Each file is read once, at its first
 * request.
 */
export function openStaticFiles(site: ReadonlyMap<string, string>): StaticFiles {
  const files = byUrlPath(site);
  const read = new Map<string, Promise<StaticFile>>();
  const readOnce = (file: string) => {
    const reading = read.get(file) ?? readStaticFile(file);
    read.set(file, reading);
    return reading;
  };
  return {
    has: (method, path) => (method === 'GET' || method === 'HEAD') && (path === '/' || files.has(path)),
    async send(res, req) {
      const method = req.getMethod().toUpperCase();
      const known = req.getHeader('if-none-match');
      let gone = false;
      res.onAborted(() => {
        gone = true;
      });
      const path = files.get(req.getUrl());
      const file = path === undefined ? null : await readOnce(path).catch(() => null);
      if (gone) return;
      res.cork(() => {
        if (path === undefined || !file) sendText(res, method, '404 Not Found', NOT_BUILT);
        else sendFile(res, method, path, file, known);
      });
    },
  };
}

/** Maps URL paths to files. Only these files are ever opened, so no URL can reach another file. */
function byUrlPath(site: ReadonlyMap<string, string>): Map<string, string> {
  const files = [...site]
    .map(([path, file]): [string, string] => [`/${path}`, file])
    .filter(([path]) => !API_PATH.test(path));
  const index = site.get('index.html');
  return new Map(index === undefined ? files : [...files, ['/', index]]);
}

async function readStaticFile(file: string): Promise<StaticFile> {
  const content = await readFile(file);
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
}

function sendFile(res: HttpResponse, method: string, path: string, file: StaticFile, known: string): void {
  const unchanged = known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === file.etag);
  res.writeStatus(unchanged ? '304 Not Modified' : '200 OK');
  for (const [name, value] of Object.entries(HEADERS)) res.writeHeader(name, value);
  res.writeHeader('etag', file.etag);
  if (unchanged) {
    res.endWithoutBody();
    return;
  }
  res.writeHeader('content-type', contentTypeOf(path));
  if (method === 'HEAD') res.endWithoutBody(file.content.byteLength);
  else res.end(file.content);
}

function sendText(res: HttpResponse, method: string, status: string, text: string): void {
  res.writeStatus(status);
  res.writeHeader('content-type', 'text/plain; charset=utf-8');
  if (method === 'HEAD') res.endWithoutBody(Buffer.byteLength(text));
  else res.end(text);
}
