import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from './package-root.ts';

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The files that the engine fetches when it starts in a browser: their paths in the site, and their names in wllama's packages. */
const WASM_RUNTIME: [path: string, module: string][] = [
  ['paddock/wllama.wasm', '@wllama/wllama/esm/wasm/wllama.wasm'],
  ['paddock/compat/wllama.js', '@wllama/wllama-compat/wasm/wllama.js'],
  ['paddock/compat/wllama.wasm', '@wllama/wllama-compat/wasm/wllama.wasm'],
];

/** The path in the site of the built-in models' files. */
export const SITE_MODELS_FOLDER = 'paddock/models';

/** The folder of the frame that draws the chat page's diagrams. */
export const DIAGRAMS_FOLDER = 'diagrams';

/** The folder of the library that reads PDFs on the chat page. */
export const PDF_FOLDER = 'assets/pdf';

/** The folder of the chat page's texts in other languages than English. */
export const LANGUAGES_FOLDER = 'assets/languages';

/** The file with the licences of all libraries in the site. */
export const LICENCES = 'licences.txt';

/** The worker that runs the engine in a browser. */
export const ENGINE_WORKER = 'paddock/engine-worker.js';

/** The content type of a file of a static site, by its name. */
export function contentTypeOf(name: string): string {
  return CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
}

/** Maps the relative paths, with slashes, of all files below a folder to their paths on disk. Throws if there is no folder. */
export async function listSite(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(folder, file).replaceAll(sep, '/'), file]));
}

/** Maps the paths of the engine's files in the site to their paths in wllama's packages. */
export function listWasmRuntime(): Map<string, string> {
  const { resolve } = createRequire(import.meta.url);
  return new Map(WASM_RUNTIME.map(([path, module]) => [path, resolve(module)]));
}

/**
 * Maps the paths of all files in Paddock's static site to their paths on disk. `npm run build` copies all files into `dist-web`, but in an
 * installed package `dist-web` lacks the engine's files and the built-in models, so that each is in the package only once. They are taken
 * from wllama's packages and from `models`. Throws if the site is not built.
 */
export async function listPaddockSite(): Promise<Map<string, string>> {
  const [built, models] = await Promise.all(
    ['dist-web', 'models'].map((name) => listSite(fileURLToPath(new URL(name, packageRoot())))),
  );
  const weights = [...(models?.values() ?? [])].filter((file) => file.endsWith('.gguf'));
  return new Map([
    ...listWasmRuntime(),
    ...weights.map((file): [string, string] => [`${SITE_MODELS_FOLDER}/${basename(file)}`, file]),
    ...(built ?? []),
  ]);
}
