import type { MicroBatch } from '../llama/micro-batches.ts';

/**
 * A GPU computes about this many tokens in the time in which it reads the weights once: on an H200, a pass for one reply of a
 * 7B in Q4_K takes 3.65 ms, and a token of a long prompt 0.089 ms.
 */
const TOKENS_PER_READ = 40;

/**
 * Returns the time of a micro-batch on a GPU, in readings of the weights: each micro-batch reads them all, and a few more
 * tokens cost little. Measured times are no guide there: they hold the loading of kernels and the capture of CUDA
 * graphs, which only the first passes of a shape need. By such times, a row of 16 replies was cut into four rows of four,
 * which took four times as long.
 */
export function gpuCost({ sequences, width }: MicroBatch): number {
  return 1 + (sequences * width) / TOKENS_PER_READ;
}
