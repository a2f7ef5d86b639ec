import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import type { ProgramName } from '../../src/package-root.ts';
import { type Licensed, licencesText } from './licences.ts';
import { NO_AJV, replacing } from './scripts.ts';

// Makes dist/programs/: the programs that run in Node, bundled from the sources with the packages that they use. A start reads a few files
// in place of 590, which takes half of the CPU time. It is run from the root of the repository, with another folder as an argument if
// dist/programs is in use.

const [OUT = 'dist/programs'] = process.argv.slice(2);

const ENTRIES: Record<ProgramName | 'paddock' | 'index', string> = {
  paddock: 'src/cli/main.ts',
  index: 'src/index.ts',
  'decode-audio': 'workers/decode-audio.ts',
  engine: 'workers/engine.ts',
  'find-gpu': 'workers/find-gpu.ts',
  inference: 'workers/inference.ts',
  prepare: 'workers/prepare.ts',
  probe: 'src/cli/doctor/probe.ts',
  'wasm-thread': 'src/engine/wasm/node/thread.ts',
};

/** The packages with native code, or with files of their own beside their code, stay in node_modules. */
const EXTERNAL = [/^(?:koffi|sharp|piscina|node-llama-cpp)$/, /^uWebSockets\.js/, /^@node-llama-cpp\//];

const LICENCES = 'licences.json';

await build({
  configFile: false,
  root: '.',
  logLevel: 'warn',
  publicDir: false,
  // Results of MCP servers are not validated, and Ajv is larger than the rest of their client.
  plugins: [replacing(NO_AJV)],
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: true,
    outDir: OUT,
    emptyOutDir: true,
    target: 'node20.19',
    sourcemap: true,
    minify: false,
    license: { fileName: LICENCES },
    // The grammars, templates and schemas of the API are one chunk: a server needs all of them.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: ENTRIES,
      external: EXTERNAL,
      preserveEntrySignatures: 'strict',
      // The maps need no copy of the sources: stack traces name places only, and a debugger finds the sources in a clone.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'parts/[name]-[hash].js',
        sourcemapExcludeSources: true,
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      },
    },
  },
});
const listed = JSON.parse(await readFile(join(OUT, LICENCES), 'utf8')) as Licensed[];
await writeFile(join(OUT, 'licences.txt'), licencesText(listed, "Paddock's server and command line are made"));
await rm(join(OUT, LICENCES));
