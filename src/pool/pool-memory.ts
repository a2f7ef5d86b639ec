import { sum } from '../utils/sum.ts';
import type { CopyStore } from './copies/store.ts';
import type { MemoryState } from './residency/residency.ts';

/** A model in memory or on its way, with the memory that it was loaded for, in bytes. */
interface Listed {
  state: string;
  memory: number;
}

/** The memory of a pool, measured. */
export interface PoolMemory {
  /** As the operating system has it. */
  measured(): MemoryState;
  /** With the memory that copies of prompts in RAM would free for models. */
  forModels(): MemoryState;
  /** Without the memory that loaded models may still take: their caches grow with their conversations. */
  forLoad(): MemoryState;
}

/**
 * Makes the memory of a pool. All figures are in bytes, and read anew at each call.
 *
 * @param measured returns what the operating system tells
 * @param copies the store of copies of prompts; null or undefined if there is none
 * @param list returns the models in memory and on their way
 */
export function createPoolMemory(
  measured: () => MemoryState,
  copies: Pick<CopyStore, 'held'> | null | undefined,
  list: () => Listed[],
): PoolMemory {
  const forModels = (): MemoryState => {
    const { available, held } = measured();
    return { available: available + (copies?.held().ram ?? 0), held };
  };
  return {
    measured,
    forModels,
    forLoad() {
      const { available, held } = forModels();
      const promised = sum(list().map(({ state, memory }) => (state === 'ready' ? memory : 0)));
      return { available: Math.max(0, available - Math.max(0, promised - held)), held };
    },
  };
}
