/** The runtimes of llama.cpp for GPUs. */
export type GpuRuntime = 'cuda' | 'vulkan' | 'metal';

/** The GPUs of a machine, as one of the runtimes offers them. */
export interface Gpu {
  runtime: GpuRuntime;
  /** The names of its devices. */
  names: string[];
  /** The memory of all devices together, in bytes. */
  memory: { total: number; free: number };
  /** True if the GPU uses the machine's own memory, as on a Mac or with a GPU inside the processor. */
  sharesMemory: boolean;
}

/** A line of JSON from the process that looks for a GPU. After `gpu` comes `computes` or `failed`. */
export type FindGpuLine = { gpu: Gpu } | { computes: true } | { failed: string };

/** The share of a GPU's memory that stays free, and the most bytes of it. */
const SPARE = { share: 0.08, bytes: 1.6 * 2 ** 30 };

/** Returns the bytes of a GPU's memory that models can still use. */
export function availableOn({ memory: { total, free } }: Pick<Gpu, 'memory'>): number {
  return Math.max(0, free - Math.min(SPARE.share * total, SPARE.bytes));
}
