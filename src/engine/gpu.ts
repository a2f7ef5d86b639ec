/** The runtimes of llama.cpp for GPUs. */
export type GpuRuntime = 'cuda' | 'vulkan' | 'metal';

/** The GPUs of a machine, as one of the runtimes offers them. */
export interface Gpu {
  runtime: GpuRuntime;
  /** The names of its devices. */
  names: string[];
  /** That of all devices together, in bytes. */
  memory: { total: number; free: number };
  /** Whether that is the machine's own memory, as on a Mac or with a GPU inside the processor. */
  sharesMemory: boolean;
}

/** What the process that looks for a GPU says, each as a line of JSON. After `gpu` comes `computes` or `failed`. */
export type FindGpuLine = { gpu: Gpu } | { computes: true } | { failed: string };

/** A share of a GPU's memory, and the most of it in bytes, that stays free: node-llama-cpp plans with the same. */
const SPARE = { share: 0.08, bytes: 1.6 * 2 ** 30 };

/** The bytes that models can still have of a GPU's memory. */
export function availableOn({ memory: { total, free } }: Gpu): number {
  return Math.max(0, free - Math.min(SPARE.share * total, SPARE.bytes));
}
