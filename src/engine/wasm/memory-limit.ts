import { InsufficientMemory } from '../memory-estimate.ts';

const MIB = 2 ** 20;
/** What WebAssembly memory can hold: both builds of wllama are linked with this limit. */
const MEMORY_MIB = 4096;
/** The same in bytes. */
export const WASM_MEMORY_BYTES = MEMORY_MIB * MIB;
/** The least that the runtime, the context and the compute buffers of a small model need. */
const RESERVED_MIB = 512;

/** The model's size in bytes; throws if its weights alone can't be held. */
export function checkModelSize(files: Blob[]): number {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > (MEMORY_MIB - RESERVED_MIB) * MIB) {
    throw new InsufficientMemory(
      `The model's files have ${mib(size)} MiB, but WebAssembly memory ends at ${MEMORY_MIB} MiB, ` +
        `of which the runtime and the context need ${RESERVED_MIB} MiB or more.`,
    );
  }
  return size;
}

/** Why loading failed, with the figures: too little memory is the likely reason where the native one is unclear. */
export function loadFailure(size: number, contextLength: number, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    `The model can't be loaded into WebAssembly: ${reason} (${mib(size)} MiB of files and a context of ` +
    `${contextLength} tokens, ${MEMORY_MIB} MiB of memory in all)`;
  return /bad_alloc|allocate/.test(reason) ? new InsufficientMemory(message) : new Error(message);
}

function mib(bytes: number): number {
  return Math.ceil(bytes / MIB);
}
