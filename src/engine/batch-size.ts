import type { BackendName } from '../contract/engine-info.ts';

/** The most tokens of a forward pass, and of a part of it that is computed at once. */
export interface BatchSizes {
  batchSize: number;
  microBatch: number;
}

/** The default batch. On a CPU, a larger one would hold up replies for longer. */
export const DEFAULT_BATCH = 512;
/** The default batch on a GPU, which reads a prompt of 2,048 tokens in a fraction of a second. */
export const GPU_BATCH = 2048;
/** The largest batch on WebAssembly. Beyond it, prompts of the smallest models are read no faster. */
export const MOST_WASM_BATCH = 64;
/** llama.cpp's server does not start with a batch of one token. */
const LEAST_WASM_BATCH = 2;
/** The longest forward pass of a prompt on WebAssembly, in ms: an abort waits for it. */
const WASM_PASS_MS = 250;
/**
 * The time in which one thread reads a token with a MB of weights, in ms. Measured in Node 24 on two cores with Q8_0 and
 * Q4_K, 5 to 528 MB. Faster machines have shorter passes and lose nothing: from 100 MB on, the time of a token is the
 * same in every batch.
 */
const MS_PER_MB = 0.3;
/** With more threads than this, the memory is the bottleneck: a token takes as long. */
export const MOST_WASM_THREADS = 8;
/** The most rows of logits of a forward pass: with 152,000 tokens they take 297 MiB. */
export const MOST_LOGITS = 512;
/** The share of a GPU's memory that the intermediate results of a large micro-batch may take. */
const COMPUTE_SHARE = 0.1;

/**
 * Chooses the sizes of a model's batches. Outside of a GPU, a batch is computed at once. On a GPU, the micro-batch is
 * halved, down to `DEFAULT_BATCH`, until its intermediate results take a small part of the memory.
 *
 * @param asked the configured batch; null for the default
 * @param computeOf returns the bytes of intermediate results for a micro-batch of a size
 * @param available the bytes of memory that are available on the GPU
 */
export function chooseBatch(
  backend: BackendName,
  asked: number | null,
  computeOf: (microBatch: number) => number,
  available: number,
): BatchSizes {
  const batchSize = asked ?? (backend === 'gpu' ? GPU_BATCH : DEFAULT_BATCH);
  let microBatch = batchSize;
  if (backend !== 'gpu') return { batchSize, microBatch };
  while (microBatch > DEFAULT_BATCH && computeOf(microBatch) > COMPUTE_SHARE * available) {
    microBatch = Math.max(DEFAULT_BATCH, Math.floor(microBatch / 2));
  }
  return { batchSize, microBatch };
}

/**
 * Returns the batch of a chat model on WebAssembly, in tokens: as many as are read in `WASM_PASS_MS`.
 *
 * @param fileBytes the bytes of the model's weights
 */
export function wasmBatch(fileBytes: number, threads: number): number {
  const tokenMs = (MS_PER_MB * (fileBytes / 1e6)) / Math.min(threads, MOST_WASM_THREADS);
  return Math.min(MOST_WASM_BATCH, Math.max(LEAST_WASM_BATCH, Math.floor(WASM_PASS_MS / tokenMs)));
}
