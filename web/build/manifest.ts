import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { MCP_WORKER } from '../../src/api/http/mcp-policy.ts';
import {
  contentTypeOf,
  DIAGRAMS_FOLDER,
  LANGUAGES_FOLDER,
  LICENCES,
  listSite,
  PDF_FOLDER,
} from '../../src/site-files.ts';
import type { ShellFile, ShellManifest } from '../service-worker/shell-manifest.ts';

/**
 * Lists the files that the service worker keeps: all files of the site except the service worker itself and the type
 * declarations.
 */
export async function listShell(out: string): Promise<ShellManifest> {
  const site = [...(await listSite(out))]
    .filter(([path]) => path !== 'service-worker.js' && !path.endsWith('.d.ts'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const files = await Promise.all(
    site.map(async ([path, file]): Promise<ShellFile> => {
      const content = await readFile(file);
      const size = content.byteLength;
      return { path, hash: sha256(content), type: contentTypeOf(path), size, part: partOf(path) };
    }),
  );
  return { version: sha256(JSON.stringify(files)).slice(0, 16), files };
}

function partOf(path: string): ShellFile['part'] {
  if (path.startsWith('paddock/compat/')) return 'compat';
  if (path === 'paddock/wllama.wasm') return 'modern';
  const isLater = [MCP_WORKER, LICENCES].includes(path);
  if (isLater || [DIAGRAMS_FOLDER, LANGUAGES_FOLDER, PDF_FOLDER].some((folder) => path.startsWith(`${folder}/`))) {
    return 'later';
  }
  return path.startsWith('paddock/') ? 'engine' : 'page';
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
