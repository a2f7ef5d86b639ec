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
