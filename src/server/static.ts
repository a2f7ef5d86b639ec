import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { MCP_WORKER, mcpWorkerPolicy } from '../api/http/mcp-policy.ts';
import { isApiPath } from '../api/http/paths.ts';
import { contentTypeOf, DIAGRAMS_FOLDER, ENGINE_WORKER } from '../site-files.ts';
import { compress, type Encoding, pickEncoding } from './compress.ts';
import type { ReplyHead, RequestHead } from './exchange.ts';

/** The files of a static site. Each is served at its path in the site; `index.html` is also served at `/`. */
export interface StaticFiles {
  /** True if `reply` answers this request. */
  has(request: RequestHead): boolean;
  /** Returns the file, or a 304 without a body if the client has this version already. Never rejects. */
  reply(request: RequestHead): Promise<FileReply>;
}

/** A whole reply. The body is null if it has none. */
export interface FileReply extends ReplyHead {
  body: Buffer | string | null;
}

/** The pages of the site may run their own files, call this server, show images and play recordings from memory, and frame each other. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "img-src 'self' data: blob:",
  'media-src blob: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The frame that draws diagrams may do less: only the chat page may frame it, and it may send no requests. It may have inline styles,
 * which Mermaid writes into its diagrams.
 */
const DIAGRAMS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // File names are the same in every build, so browsers must check the tag before they use a copy.
  'cache-control': 'no-cache',
};

const NOT_BUILT = 'The chat page is not built: npm run build makes it. The API is under /v1.\n';

/** The content types that compression makes much smaller. The weights of a model shrink by 6 % only. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest\+json|wasm)$|image\/svg)/;

/** The bytes of a file, in one encoding or without. */
interface StaticFile {
  content: Buffer;
  etag: string;
}

/**
 * Serves the files of a site. `site` maps paths in the site to paths on the disk. Each file is read once, and compressed
 * once for each encoding, at the first request for it.
 */
export function openStaticFiles(site: ReadonlyMap<string, string>): StaticFiles {
  const files = byUrlPath(site);
  const read = new Map<string, Promise<StaticFile>>();
  const readOnce = (file: string, encoding: Encoding | null): Promise<StaticFile> => {
    const key = `${encoding ?? ''}:${file}`;
    const reading =
      read.get(key) ?? (encoding === null ? readStaticFile(file) : encode(readOnce(file, null), encoding));
    read.set(key, reading);
    // A file that can't be read is read again at the next request.
    reading.catch(() => read.delete(key));
    return reading;
  };
  return {
    has: ({ method, path }) => (method === 'GET' || method === 'HEAD') && (path === '/' || files.has(path)),
    async reply({ path, query, headers }) {
      const onDisk = files.get(path);
      if (onDisk === undefined) return textReply(404, NOT_BUILT);
      const type = contentTypeOf(onDisk);
      const encoding = COMPRESSIBLE.test(type) ? pickEncoding(headers['accept-encoding'] ?? '') : null;
      const file = await readOnce(onDisk, encoding).catch(() => null);
      if (!file) return textReply(404, NOT_BUILT);
      const about = {
        'content-type': type,
        'content-security-policy': policyOf(path, query),
        ...(COMPRESSIBLE.test(type) && { vary: 'accept-encoding' }),
        ...(encoding && { 'content-encoding': encoding }),
      };
      return fileReply(about, file, headers['if-none-match'] ?? '');
    },
  };
}

/**
 * The worker that runs the engine in a browser compiles WebAssembly, and wllama makes its own workers and scripts from blobs. The worker
 * may send requests to this server only.
 */
const ENGINE_POLICY = [
  "default-src 'none'",
  "script-src 'self' blob: 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "connect-src 'self' blob:",
].join('; ');

function policyOf(path: string, query: string): string {
  if (path === `/${ENGINE_WORKER}`) return ENGINE_POLICY;
  if (path === `/${DIAGRAMS_FOLDER}/index.html`) return DIAGRAMS_POLICY;
  return path === `/${MCP_WORKER}` ? mcpWorkerPolicy(query) : CONTENT_SECURITY_POLICY;
}

/**
 * Maps URL paths to files. Only these files are ever opened, so no URL can reach another file. The API's own paths stay the
 * API's, even if the site has files with these names.
 */
function byUrlPath(site: ReadonlyMap<string, string>): Map<string, string> {
  const files = [...site]
    .map(([path, file]): [string, string] => [`/${path}`, file])
    .filter(([path]) => !isApiPath(path));
  const index = site.get('index.html');
  return new Map(index === undefined ? files : [...files, ['/', index]]);
}

async function readStaticFile(file: string): Promise<StaticFile> {
  const content = await readFile(file);
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
}

async function encode(reading: Promise<StaticFile>, encoding: Encoding): Promise<StaticFile> {
  const { content, etag } = await reading;
  return { content: await compress(content, encoding), etag: etag.replace(/"$/, `-${encoding}"`) };
}

function fileReply(about: Record<string, string>, { content, etag }: StaticFile, known: string): FileReply {
  const headers = { ...HEADERS, ...about, etag };
  if (known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return { status: 304, headers, body: null };
  return { status: 200, headers, body: content };
}

function textReply(status: number, text: string): FileReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}
