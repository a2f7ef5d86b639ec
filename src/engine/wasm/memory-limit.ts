import { WASM_MEMORY_BYTES } from '../../contract/engine-info.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { messageOf } from '../../utils/error-message.ts';
import { InsufficientMemory } from '../memory-estimate.ts';

/** The runtime, the context and the compute buffers of a small model need at least this many bytes. */
const RESERVED_BYTES = 2 ** 29;

/**
 * Returns the size of the model's files in bytes. Throws `InsufficientMemory` if the weights alone do not fit. Layers on a
 * graphics card do not pass through WebAssembly's memory as a whole, so then any size may do.
 */
export function checkModelSize(files: Blob[], gpuLayers: number): number {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (gpuLayers === 0 && size > WASM_MEMORY_BYTES - RESERVED_BYTES) {
    throw new InsufficientMemory(
      `The model's files have ${formatBytes(size)}, but WebAssembly memory ends at ${formatBytes(WASM_MEMORY_BYTES)}, ` +
        `of which the runtime and the context need ${formatBytes(RESERVED_BYTES)} or more.`,
    );
  }
  return size;
}

/** Makes the error of a failed load. It names the figures, since too little memory is a likely reason. */
export function wasmLoadError(size: number, contextLength: number, error: unknown): Error {
  const reason = messageOf(error);
  const message =
    `The model can't be loaded into WebAssembly: ${reason} (${formatBytes(size)} of files and a context of ` +
    `${contextLength} tokens, ${formatBytes(WASM_MEMORY_BYTES)} of memory in all)`;
  return /bad_alloc|allocate/.test(reason) ? new InsufficientMemory(message) : new Error(message);
}
