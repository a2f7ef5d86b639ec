import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { addBuiltInModels } from './built-in.ts';
import { listShell } from './manifest.ts';
import { buildPage, buildScript, OUT, type Script } from './scripts.ts';
import { addLibraryTypes } from './types.ts';

// Makes dist-web/, the static site, from web/ and what is compiled in dist/. Run from the root of the repository.

const SCRIPTS: Script[] = [
  { entry: 'engine/main.ts', file: 'paddock/engine-worker.js', kind: 'module' },
  { entry: 'models/main.ts', file: 'paddock/models-worker.js', kind: 'module' },
  { entry: 'client/start.ts', file: 'paddock/client.js', kind: 'library' },
];

/** What wllama fetches when it starts, from its packages to its place. */
const RUNTIME: [from: string, to: string][] = [
  ['@wllama/wllama/esm/wasm/wllama.wasm', 'paddock/wllama.wasm'],
  ['@wllama/wllama-compat/wasm/wllama.js', 'paddock/compat/wllama.js'],
  ['@wllama/wllama-compat/wasm/wllama.wasm', 'paddock/compat/wllama.wasm'],
];

await rm(OUT, { recursive: true, force: true });
await Promise.all([
  buildPage(),
  ...SCRIPTS.map(buildScript),
  ...RUNTIME.map(([from, to]) => copyRuntime(from, to)),
  addBuiltInModels(OUT),
]);
await addLibraryTypes();
// Last, because it knows all the others by their content.
await buildScript({
  entry: 'service-worker/main.ts',
  file: 'service-worker.js',
  kind: 'classic',
  define: { PADDOCK_SHELL: await listShell(OUT), PADDOCK_VERSION: await packageVersion() },
});

async function copyRuntime(from: string, to: string): Promise<void> {
  const target = join(OUT, to);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(createRequire(import.meta.url).resolve(from), target);
}

async function packageVersion(): Promise<string> {
  return (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version;
}
