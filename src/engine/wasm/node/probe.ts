import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** A module of nothing but a 64-bit memory. */
const MEMORY64_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 4, 1);

/** Node has it, but its type declarations leave it to the browser's. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { validate(bytes: Uint8Array): boolean; compile(bytes: Uint8Array): Promise<object> };
};

/** Compiles the WebAssembly build that this Node would run and names it. Throws the reason when it can't be compiled. */
export async function probeWasm(): Promise<string> {
  // Wllama's own choice: its default build needs both.
  const modern = WebAssembly.validate(MEMORY64_MODULE) && 'Suspending' in WebAssembly;
  const { resolve } = createRequire(import.meta.url);
  const file = modern ? '@wllama/wllama/esm/wasm/wllama.wasm' : '@wllama/wllama-compat/wasm/wllama.wasm';
  await WebAssembly.compile(await readFile(resolve(file)));
  return modern ? '64-bit' : '32-bit, compatible';
}
