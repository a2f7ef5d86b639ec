import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MCP_WORKER } from '../../src/api/http/mcp-policy.ts';
import { ENGINE_WORKER, listWasmRuntime } from '../../src/site-files.ts';
import { addBuiltInModels } from './built-in.ts';
import { writeLicences } from './licences.ts';
import { listShell } from './manifest.ts';
import { buildDiagrams, buildPage, buildScript, NO_AJV, OUT, type Script } from './scripts.ts';
import { addLibraryTypes } from './types.ts';

// Makes dist-web/, the static site, from web/ and from the compiled files in dist/. It is run from the root of the
// repository.

const SCRIPTS: Script[] = [
  { entry: 'engine/main.ts', file: ENGINE_WORKER, kind: 'module' },
  { entry: 'models/main.ts', file: 'paddock/models-worker.js', kind: 'module' },
  { entry: 'client/start.ts', file: 'paddock/client.js', kind: 'library' },
  {
    entry: 'mcp/main.ts',
    file: MCP_WORKER,
    kind: 'module',
    instead: NO_AJV,
  },
];

await rm(OUT, { recursive: true, force: true });
await Promise.all([
  buildPage(),
  buildDiagrams(),
  ...SCRIPTS.map(buildScript),
  ...[...listWasmRuntime()].map(([path, file]) => copyRuntime(path, file)),
  addBuiltInModels(OUT),
]);
await addLibraryTypes();
await writeLicences(OUT);
// The service worker comes last: it lists all other files with their hashes. Its licences are listed by the other
// builds.
await buildScript({
  entry: 'service-worker/main.ts',
  file: 'service-worker.js',
  kind: 'classic',
  licensed: false,
  define: { PADDOCK_SHELL: await listShell(OUT), PADDOCK_VERSION: await packageVersion() },
});

async function copyRuntime(path: string, file: string): Promise<void> {
  const target = join(OUT, path);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(file, target);
}

async function packageVersion(): Promise<string> {
  return (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version;
}
