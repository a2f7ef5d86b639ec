import type { BackendName } from '../../contract/engine-info.ts';
import type { EngineOptions, ModelSource } from '../../engine/engine.ts';
import type { MemoryPlan } from '../../engine/memory-estimate.ts';
import { usableCores } from '../../engine/node/cores.ts';
import { planThreads } from '../threads/model-threads.ts';
import { contextsToTry, type Windows } from './find-room.ts';
import { planSlots, type SlotChoice } from './plan-slots.ts';

/** What is asked of a load. `slots` and `contextLength` are null where memory decides. */
export type AskedLoad = Pick<
  EngineOptions,
  'contextLength' | 'threads' | 'batchSize' | 'flashAttention' | 'oneByOne'
> & {
  slots: number | null;
};

/** How a model is to be loaded on a backend. */
export interface LoadPlan {
  /** The slots of the whole model. */
  chosen: SlotChoice;
  /** The plan of its memory, but for the window. Its slots are those of one thread. */
  sizes: Omit<MemoryPlan, 'contextLength'>;
  /** The windows to try. */
  windows: Windows;
}

/**
 * Plans a load on a backend with so many bytes to be had.
 *
 * @param isForModels whether the memory is there for models alone: that of a GPU of its own
 */
export function planLoad(
  source: ModelSource,
  backend: BackendName,
  asked: AskedLoad,
  available: number,
  isForModels = false,
): LoadPlan {
  const { kind } = source;
  const one = { backend, kind, threads: 1, batchSize: asked.batchSize };
  const chosen = planSlots(source, asked, one, available, isForModels);
  const { threads, slots } = planThreads(backend, { ...asked, slots: chosen.slots }, usableCores().count);
  const sizes = { ...one, threads, slots: kind === 'chat' ? slots : 1 };
  return { chosen, sizes, windows: contextsToTry(source, asked.contextLength, sizes, available) };
}
