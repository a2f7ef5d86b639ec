import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { ShellFile, ShellManifest } from '../service-worker/shell-manifest.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

/** What the service worker is to keep: every file of the site but itself and what is for compilers alone. */
export async function listShell(out: string): Promise<ShellManifest> {
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(out, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => path !== 'service-worker.js' && !path.endsWith('.d.ts'))
    .sort();
  const files = await Promise.all(
    paths.map(async (path): Promise<ShellFile> => {
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      return { path, hash: sha256(await readFile(join(out, path))), type, part: partOf(path) };
    }),
  );
  return { version: sha256(JSON.stringify(files)).slice(0, 16), files };
}

function partOf(path: string): ShellFile['part'] {
  if (path.startsWith('paddock/compat/')) return 'compat';
  return path.startsWith('paddock/') ? 'engine' : 'page';
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
