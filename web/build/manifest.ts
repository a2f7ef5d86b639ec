import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentTypeOf, listSite } from '../../src/site-files.ts';
import type { ShellFile, ShellManifest } from '../service-worker/shell-manifest.ts';

/** What the service worker is to keep: every file of the site but itself and what is for compilers alone. */
export async function listShell(out: string): Promise<ShellManifest> {
  const paths = (await listSite(out)).filter((path) => path !== 'service-worker.js' && !path.endsWith('.d.ts')).sort();
  const files = await Promise.all(
    paths.map(async (path): Promise<ShellFile> => {
      const hash = sha256(await readFile(join(out, path)));
      return { path, hash, type: contentTypeOf(path), part: partOf(path) };
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
