import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { once } from '../../../utils/once.ts';
import { WebAssembly } from './web-assembly.ts';

/** A WebAssembly module that has nothing but a 64-bit memory. */
const MEMORY64_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 4, 1);

/** The build of llama.cpp that wllama takes on this Node. */
export interface Runtime {
  /** A short description. */
  name: string;
  module: object;
}

/**
 * Compiles the WebAssembly build for this Node and keeps it as long as the process lives. V8 shares compiled code,
 * optimized parts included, between all threads that compile the same bytes, as long as somebody holds a copy. Without
 * this, each thread would compile from the start, and would wait for the optimizer when it ends. Throws the reason if
 * it can't be compiled.
 */
export const compileRuntime: () => Promise<Runtime> = once(compile);

async function compile(): Promise<Runtime> {
  // This repeats wllama's own choice: its default build needs both features.
  const modern = WebAssembly.validate(MEMORY64_MODULE) && 'Suspending' in WebAssembly;
  const { resolve } = createRequire(import.meta.url);
  const file = modern ? '@wllama/wllama/esm/wasm/wllama.wasm' : '@wllama/wllama-compat/wasm/wllama.wasm';
  const module = await WebAssembly.compile(await readFile(resolve(file)));
  return { name: modern ? '64-bit' : '32-bit, compatible', module };
}
