import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut, PACKAGE, run } from './llama-source.js';

// npm run build:media: compiles libmtmd, the part of llama.cpp that reads images and recordings, to
// built/<platform>-<arch>/libmtmd.<version>.so. The sources come from the git bundle of the installed node-llama-cpp,
// so they fit its libraries. The library names none of those as its dependencies: it takes their functions from the
// set that the process has opened, for the CPU or for a GPU. Needs git and g++ (or what CXX names). An argument names
// another file to write.

const FOLDER = dirname(fileURLToPath(import.meta.url));

const FLAGS = ['-O2', '-DNDEBUG', '-DLLAMA_SHARED', '-DLLAMA_BUILD', '-fPIC', '-pthread', '-fvisibility=hidden', '-w'];
const INCLUDES = ['include', 'ggml/include', 'tools/mtmd', 'vendor', 'vendor/hash'];
const SOURCES = [
  'tools/mtmd/clip.cpp',
  'tools/mtmd/mtmd.cpp',
  'tools/mtmd/mtmd-helper.cpp',
  'tools/mtmd/mtmd-image.cpp',
  'tools/mtmd/mtmd-audio.cpp',
  'vendor/hash/hash.cpp',
  'vendor/hash/sha1/sha1.c',
  'vendor/hash/sha256/sha256.c',
  'vendor/hash/xxhash/xxhash.c',
];
/** Written in C; sha1.c is C++, whatever its name says. */
const IN_C = ['vendor/hash/sha256/sha256.c', 'vendor/hash/xxhash/xxhash.c'];

const { release } = JSON.parse(readFileSync(join(PACKAGE, 'binariesGithubRelease.json'), 'utf8'));
const output = process.argv[2] ?? join(FOLDER, `built/${process.platform}-${process.arch}/libmtmd.${release}.so`);
const compiler = process.env.CXX ?? 'g++';
const folder = mkdtempSync(join(tmpdir(), 'paddock-media-'));
try {
  checkOut(folder, ['include', 'ggml/include', 'tools/mtmd', 'vendor']);
  const models = readdirSync(join(folder, 'tools/mtmd/models')).filter((file) => file.endsWith('.cpp'));
  const sources = [...SOURCES, ...models.map((file) => `tools/mtmd/models/${file}`)];
  await compileAll(sources);
  mkdirSync(dirname(output), { recursive: true });
  // Another process may have the library open, so it is replaced and not written over.
  run(compiler, [
    ...['-shared', '-s', '-pthread', '-Wl,-Bsymbolic', '-Wl,-z,relro,-z,now', '-o', `${output}.new`],
    ...sources.map(objectOf),
  ]);
  renameSync(`${output}.new`, output);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Compiles as many files at once as there are cores.
 * @param {string[]} sources
 */
async function compileAll(sources) {
  const left = sources.values();
  const work = async () => {
    for (const source of left) await compile(source);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

/**
 * @param {string} source
 * @returns {Promise<void>}
 */
function compile(source) {
  const language = IN_C.includes(source) ? ['-x', 'c'] : ['-x', 'c++', '-std=c++17'];
  const includes = INCLUDES.map((place) => `-I${join(folder, place)}`);
  const args = [...FLAGS, ...includes, ...language, '-c', join(folder, source), '-o', objectOf(source)];
  return new Promise((resolve, reject) => {
    const child = spawn(compiler, args, { stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${source} could not be compiled`))));
  });
}

/**
 * Returns the file that a source is compiled to.
 * @param {string} source
 */
function objectOf(source) {
  return join(folder, `${source.replaceAll('/', '_')}.o`);
}
