import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Rolldown } from 'vite';
import type { ProgramName } from '../../src/package-root.ts';
import { type Licensed, licencesText } from './licences.ts';
import { NO_AJV, replacing } from './scripts.ts';

// Makes dist/programs/: the programs that run in Node, bundled from the sources with the packages that they use. A start reads a few files
// in place of 590, which takes half of the CPU time. It is run from the root of the repository, with another folder as an argument if
// dist/programs is in use. The bundles are no modules, since V8 has a code cache for scripts alone; `loadProgram` loads them. So each
// program has a file of its own that is a module and calls it.

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

/** The name of the function that takes the place of `import()`, which scripts lack. It is as long, so that the source maps fit. */
const IMPORT = 'loadES';

const LICENCES = 'licences.json';

const built = await build({
  configFile: false,
  root: '.',
  logLevel: 'warn',
  publicDir: false,
  // Results of MCP servers are not validated, and Ajv is larger than the rest of their client.
  plugins: [replacing(NO_AJV), { name: 'import', renderChunk: importByLoader }],
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
        format: 'cjs',
        exports: 'named',
        banner: `(function(exports,require,__filename,${IMPORT}){"use strict";`,
        footer: '})',
        // The names change with the content: the code cache has the code of a file by its name.
        entryFileNames: 'parts/[name]-[hash].js',
        chunkFileNames: 'parts/[name]-[hash].js',
        sourcemapExcludeSources: true,
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      },
    },
  },
});
for (const name of ['load-program.js', 'load-program.js.map']) await copyFile(join('dist/src', name), join(OUT, name));
for (const chunk of outputOf(built))
  if (chunk.isEntry) await writeFile(join(OUT, `${chunk.name}.js`), programOf(chunk));
const listed = JSON.parse(await readFile(join(OUT, LICENCES), 'utf8')) as Licensed[];
await writeFile(join(OUT, 'licences.txt'), licencesText(listed, "Paddock's server and command line are made"));
await rm(join(OUT, LICENCES));

function importByLoader(code: string) {
  return { code: code.replace(/(?<![\w$.])import(?=\()/g, IMPORT), map: null };
}

/** Returns the scripts of a build. */
function outputOf(built: Awaited<ReturnType<typeof build>>): Rolldown.OutputChunk[] {
  if (!('output' in built)) throw new Error('the bundler has built several times');
  return built.output.filter((file) => file.type === 'chunk');
}

/** Returns the module of a program: it loads the bundle whose first file this is, and exports what that exports. */
function programOf({ name, fileName, exports }: Rolldown.OutputChunk): string {
  const imported = `${name === 'paddock' ? '#!/usr/bin/env node\n' : ''}import { loadProgram } from './load-program.js';`;
  const load = `loadProgram('${basename(fileName)}', import.meta.url)`;
  if (exports.length === 0) return `${imported}\n\n${load};\n`;
  const names = exports.map((each) => (each === 'default' ? 'default: main' : each)).join(', ');
  const main = exports.includes('default') ? '\nexport default main;\n' : '';
  const others = exports.filter((each) => each !== 'default');
  const named = others.length > 0 ? `\nexport { ${others.join(', ')} };\n` : '';
  return `${imported}\n\nconst { ${names} } = ${load};\n${main}${named}`;
}
