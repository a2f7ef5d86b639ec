import type { BackendName } from '../../contract/engine-info.ts';
import { type BatchSizes, chooseBatch } from '../../engine/batch-size.ts';
import type { EngineOptions, ModelSource } from '../../engine/engine.ts';
import { estimateMemory, type MemoryPlan } from '../../engine/memory-estimate.ts';
import { usableCores } from '../../engine/node/cores.ts';
import { planThreads } from '../threads/model-threads.ts';
import { contextsToTry, type Windows } from './find-room.ts';
import { planSlots, type SlotChoice } from './plan-slots.ts';

/**
 * The configured settings of a load. `slots`, `contextLength` and `batchSize` are null if they depend on the device and its
 * memory.
 */
export type AskedLoad = Pick<
  EngineOptions,
  | 'contextLength'
  | 'threads'
  | 'flashAttention'
  | 'kvType'
  | 'stockKernels'
  | 'oneByOne'
  | 'gpuLayers'
  | 'cpuExperts'
  | 'splitMode'
  | 'tensorSplit'
  | 'mainGpu'
> & {
  slots: number | null;
  batchSize: number | null;
};

/** How a model is to be loaded on a backend. */
export interface LoadPlan {
  /** The number of slots of the whole model, over all threads. */
  chosen: SlotChoice;
  /** The plan of its memory without the context window. Its `slots` is the number of slots of one thread. */
  sizes: Omit<MemoryPlan, 'contextLength'>;
  batch: BatchSizes;
  /** The context windows to try. */
  windows: Windows;
}

/**
 * Plans a load on a backend.
 *
 * @param available the bytes that are available there
 * @param isForModels true if only models use that memory: the memory of a GPU that it does not share with the CPU
 */
export function planLoad(
  source: ModelSource,
  backend: BackendName,
  asked: AskedLoad,
  available: number,
  isForModels = false,
): LoadPlan {
  const { kind } = source;
  const each = { backend, kind, threads: 1, kvType: asked.kvType };
  const computeOf = (batchSize: number) =>
    estimateMemory(source.shape, { ...each, batchSize, slots: 1, contextLength: 0 }).compute;
  const batch = chooseBatch(backend, asked.batchSize, computeOf, available);
  const one = { ...each, batchSize: batch.microBatch };
  const chosen = planSlots(source, asked, one, available, isForModels);
  const { threads, slots } = planThreads(backend, { ...asked, slots: chosen.slots }, usableCores().count);
  const sizes = { ...one, threads, slots: kind === 'chat' ? slots : 1 };
  return { chosen, sizes, batch, windows: contextsToTry(source, asked.contextLength, sizes, available) };
}
