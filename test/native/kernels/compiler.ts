import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './library.ts';

const KERNELS = join(ROOT, 'native/kernels');
const PROBE = join(import.meta.dirname, 'probe.cpp');

export const hasCompiler = spawnSync('g++', ['--version']).status === 0;

/** Compiles the probe against a library of kernels. */
export function buildProbe(library: string, output: string): void {
  execFileSync('g++', ['-std=c++20', '-O1', '-Wall', '-Wextra', '-Werror', PROBE, library, '-o', output]);
}

/** The instructions that a file of kernels may use besides those of every x86-64 processor. */
const INSTRUCTIONS: Record<string, string[]> = {
  'isa-avx2.cpp': ['-mavx2', '-mfma', '-mf16c'],
  'isa-avx-vnni.cpp': ['-mavx2', '-mfma', '-mf16c', '-mavxvnni'],
  'isa-avx512-vnni.cpp': [
    ...['-mavx2', '-mfma', '-mf16c'],
    ...['-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mavx512vnni'],
  ],
};

/** Compiles the probe with the kernels and the sanitizers for addresses and undefined behaviour. Takes about 15 s. */
export function buildSanitizedProbe(folder: string): string {
  const sources = readdirSync(KERNELS, { encoding: 'utf8', recursive: true }).filter((name) => name.endsWith('.cpp'));
  const flags = ['-std=c++20', '-O1', '-g', '-w', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
  const objects = sources.map((source) => {
    const object = join(folder, `${basename(source)}.o`);
    execFileSync('g++', [...flags, ...(INSTRUCTIONS[source] ?? []), '-c', join(KERNELS, source), '-o', object]);
    return object;
  });
  const output = join(folder, 'sanitized-probe');
  execFileSync('g++', [...flags, PROBE, ...objects, '-ldl', '-o', output]);
  return output;
}

/**
 * Runs a probe, under a command before it if one is given, and returns the lines that it prints. Throws if it fails.
 */
export function runProbe(probe: string, ...before: string[]): string[] {
  const [command = probe, ...args] = [...before, probe];
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    .trim()
    .split('\n')
    .filter((line) => line !== '');
}
