import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashSources } from './hash-sources.js';

// npm run build:native: compiles kernels/ to prebuilt/linux-x64/libpaddock-kernels.so, and writes the SHA-256 sum of
// the library beside it. The library in the repository is built with g++ 12.2 and GNU ld 2.40 on Debian 12. An argument
// names another file to write.

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** The library uses no C++ runtime, so that it needs no library but glibc. */
const FLAGS = [
  '-std=c++20',
  '-O2',
  '-fPIC',
  '-fno-exceptions',
  '-fno-rtti',
  '-fno-threadsafe-statics',
  '-fno-stack-protector',
  '-fno-asynchronous-unwind-tables',
  '-fvisibility=hidden',
  '-ffunction-sections',
  '-ffp-contract=off',
  '-Wall',
  '-Wextra',
  // g++ 12 takes the registers that its own intrinsics leave undefined for a mistake.
  '-Wno-uninitialized',
  '-Wno-maybe-uninitialized',
];

/** A file that uses more than the instructions that every x86-64 processor has is named here. */
const SOURCES = {
  'attention/attention.cpp': [],
  'choice.cpp': [],
  'clear.cpp': [],
  'cpu.cpp': [],
  'products/experts.cpp': [],
  'fill.cpp': [],
  'pages.cpp': [],
  'search.cpp': [],
  'products/sgemm.cpp': [],
  'upstream.cpp': [],
  'isa-avx2.cpp': ['-mavx2', '-mfma', '-mf16c'],
  'isa-avx-vnni.cpp': ['-mavx2', '-mfma', '-mf16c', '-mavxvnni'],
  'isa-avx512-vnni.cpp': [
    ...['-mavx2', '-mfma', '-mf16c'],
    ...['-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mavx512vnni'],
  ],
};

const output = process.argv[2] ?? join(FOLDER, 'prebuilt/linux-x64/libpaddock-kernels.so');
const objects = mkdtempSync(join(tmpdir(), 'paddock-kernels-'));
try {
  for (const [source, flags] of Object.entries(SOURCES)) {
    compile([...FLAGS, ...flags, '-c', join(FOLDER, 'kernels', source), '-o', join(objects, `${basename(source)}.o`)]);
  }
  mkdirSync(dirname(output), { recursive: true });
  compile([
    ...['-shared', '-nostdlib', '-s', '-Wl,--gc-sections', '-Wl,--build-id=none', '-Wl,-z,relro,-z,now', '-Wl,-z,defs'],
    ...['-Wl,-soname,libpaddock-kernels.so', '-o', output],
    ...Object.keys(SOURCES).map((source) => join(objects, `${basename(source)}.o`)),
    '-lc',
  ]);
} finally {
  rmSync(objects, { recursive: true, force: true });
}
const sum = createHash('sha256').update(readFileSync(output)).digest('hex');
writeFileSync(`${output}.sha256`, `${sum}  libpaddock-kernels.so\n${hashSources()}  its sources\n`);

/**
 * Runs the compiler. Ends this process with its exit code if it fails.
 * @param {string[]} args
 */
function compile(args) {
  const { status, error } = spawnSync(process.env.CXX ?? 'g++', args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
