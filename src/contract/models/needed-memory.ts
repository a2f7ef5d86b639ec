/**
 * The memory for context and computation, besides the weights: a share of the model's size, and a fixed number of
 * bytes.
 */
const WORK_SHARE = 0.1;
const WORK_BYTES = 500e6;

/** `full`: the model fits after other models are unloaded. */
export type Fit = 'fits' | 'full' | 'too large' | 'unknown';

/** Estimates the memory that a model takes, in bytes, from the size of its files. Before a pull, nothing else is known. */
export function neededMemory(size: number): number {
  return size * (1 + WORK_SHARE) + WORK_BYTES;
}

/** Returns whether a model that needs this many bytes fits into the memory of the platform. */
export function memoryFit(needed: number, memory: { available: number; held: number } | undefined): Fit {
  if (!memory) return 'unknown';
  if (needed <= memory.available) return 'fits';
  return needed <= memory.available + memory.held ? 'full' : 'too large';
}
