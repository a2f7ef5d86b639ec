import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut, PACKAGE, run } from './llama-source.js';

// npm run build:cuda: compiles llama.cpp's library for CUDA for the card of this machine. The prebuilt one has machine
// code for few cards, and none for A100, H100, H200 and T4. Only this library is compiled, of the sources that the
// installed node-llama-cpp brings; the folder that is made has copies of its other libraries. node-llama-cpp and Paddock
// take the libraries of this folder before the prebuilt ones. Needs git, cmake, ninja and the CUDA toolkit with cuBLAS.
// An argument names the architecture, as in 90; the default is that of the first card. A build that was stopped goes on
// where it was.

const PREBUILT = fileURLToPath(
  new URL('../bins/linux-x64-cuda', import.meta.resolve('@node-llama-cpp/linux-x64-cuda')),
);
const TARGET = join(PACKAGE, 'localBuilds/linux-x64-cuda');
const WORK = join(dirname(fileURLToPath(import.meta.url)), 'built/cuda');

const architecture = process.argv[2] ?? readArchitecture();
prepare();
compile();
link();
rmSync(WORK, { recursive: true, force: true });
process.stdout.write(`${TARGET} has code for compute capability ${architecture}\n`);

/** Returns the compute capability of the first card, as in 90. Throws if the driver names none. */
function readArchitecture() {
  const args = ['--query-gpu=compute_cap', '--format=csv,noheader'];
  const { stdout } = spawnSync('nvidia-smi', args, { encoding: 'utf8' });
  const found = /^(\d+)\.(\d)/.exec(stdout ?? '');
  if (!found) throw new Error('nvidia-smi names no card: give the compute capability, as in 90 for an H100');
  return `${found[1]}${found[2]}`;
}

/** Writes the sources of llama.cpp into the folder of the work, unless all of them are there. */
function prepare() {
  const source = join(WORK, 'source');
  if (existsSync(source)) return;
  const begun = join(WORK, 'begun');
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(begun, { recursive: true });
  checkOut(begun, ['.']);
  renameSync(begun, source);
}

function compile() {
  const build = join(WORK, 'build');
  const options = {
    CMAKE_BUILD_TYPE: 'Release',
    CMAKE_CUDA_ARCHITECTURES: `${architecture}-real`,
    BUILD_SHARED_LIBS: 'ON',
    GGML_CUDA: 'ON',
    // The library is opened at run time, as the prebuilt one is, and finds the others beside it.
    GGML_BACKEND_DL: 'ON',
    CMAKE_BUILD_WITH_INSTALL_RPATH: 'ON',
    CMAKE_INSTALL_RPATH: '$ORIGIN',
    GGML_NATIVE: 'OFF',
    GGML_CUDA_NCCL: 'OFF',
    LLAMA_BUILD_TESTS: 'OFF',
    LLAMA_BUILD_EXAMPLES: 'OFF',
    LLAMA_BUILD_TOOLS: 'OFF',
    LLAMA_BUILD_COMMON: 'OFF',
  };
  const flags = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
  run('cmake', ['-G', 'Ninja', '-S', join(WORK, 'source'), '-B', build, ...flags]);
  run('ninja', ['-C', build, '-j', String(availableParallelism()), 'ggml-cuda']);
}

/** Makes the folder in which node-llama-cpp looks for libraries that were built here. */
function link() {
  const release = join(TARGET, 'Release');
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  for (const file of readdirSync(PREBUILT)) {
    if (file !== 'libggml-cuda.so') copyFileSync(join(PREBUILT, file), join(release, file));
  }
  copyFileSync(join(WORK, 'build/bin/libggml-cuda.so'), join(release, 'libggml-cuda.so'));
  // The prebuilt library has no version in its name, and the compiled one asks for it with one.
  for (const name of neededFrom(join(release, 'libggml-cuda.so'))) {
    if (!existsSync(join(release, name))) symlinkSync('libggml-base.so', join(release, name));
  }
  writeFileSync(join(TARGET, 'buildDone.status'), '');
}

/**
 * Returns the names by which a library asks for ggml's base, as in `libggml-base.so.0`.
 * @param {string} library
 */
function neededFrom(library) {
  return new Set(readFileSync(library, 'latin1').match(/libggml-base\.so[.\d]*/g) ?? []);
}
