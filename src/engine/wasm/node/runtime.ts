import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { WebAssembly } from './web-assembly.ts';

/** A module of nothing but a 64-bit memory. */
const MEMORY64_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 4, 1);

/** wllama's build of llama.cpp for this Node. */
export interface Runtime {
  /** In words. */
  name: string;
  module: object;
}

let compiled: Promise<Runtime> | undefined;

/**
 * Compiles the WebAssembly build that this Node runs, and keeps it as long as the process lives. Threads that compile the
 * same bytes then share its code, optimized parts included: V8 has one copy of it while anybody holds one, and else each
 * thread begins anew, and at its end waits for the optimizer. Throws the reason when it can't be compiled.
 */
export function compileRuntime(): Promise<Runtime> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<Runtime> {
  // Wllama's own choice: its default build needs both.
  const modern = WebAssembly.validate(MEMORY64_MODULE) && 'Suspending' in WebAssembly;
  const { resolve } = createRequire(import.meta.url);
  const file = modern ? '@wllama/wllama/esm/wasm/wllama.wasm' : '@wllama/wllama-compat/wasm/wllama.wasm';
  const module = await WebAssembly.compile(await readFile(resolve(file)));
  return { name: modern ? '64-bit' : '32-bit, compatible', module };
}
