import { AGENT_LENGTH, AGENT_SHARE } from '../../engine/context-length.ts';
import type { ModelSource } from '../../engine/engine.ts';
import { estimateMemory, type MemoryPlan } from '../../engine/memory-estimate.ts';

/** The slots to try where nobody asks for a number, most first. More than 16 hardly add to the tokens per second of a CPU. */
const SLOTS = [16, 8, 4, 2];
/** The slots where memory is short, and on WebAssembly. */
const MODEST_SLOTS = 4;
/** The slots that a model has at most by default. */
export const MOST_DEFAULT_SLOTS = Math.max(...SLOTS);

/**
 * The caches of many slots may take so much of a machine's memory that the weights leave, those of few slots more. They may
 * come to take it, though they begin short on a CPU.
 */
const MANY_SLOTS_SHARE = 1 / 5;
/** The memory of a GPU of its own is there for models. */
const GPU_SHARE = 1 / 2;

/** How many slots a model gets, and in words why. */
export interface SlotChoice {
  slots: number;
  reason: string;
}

/**
 * Chooses the slots of a model. Those that are asked for are taken; else as many as memory allows with windows of the length
 * that is asked for, or that agents need: no slot is added that would make that shorter. `available` is in bytes;
 * `isForModels` says whether that memory is there for models alone.
 */
export function planSlots(
  { shape, kind }: Pick<ModelSource, 'shape' | 'kind'>,
  asked: { slots: number | null; contextLength: number | null },
  plan: Omit<MemoryPlan, 'contextLength' | 'slots'>,
  available: number,
  isForModels: boolean,
): SlotChoice {
  if (asked.slots !== null) return { slots: asked.slots, reason: 'as configured' };
  if (kind !== 'chat' || plan.backend === 'wasm') return { slots: MODEST_SLOTS, reason: 'the default' };
  const contextLength = asked.contextLength ?? Math.min(AGENT_LENGTH, shape.trainedContextLength || AGENT_LENGTH);
  const estimate = (slots: number) => estimateMemory(shape, { ...plan, slots, contextLength });
  const free = Math.max(0, available - estimate(0).weights);
  const manySlotsShare = isForModels ? GPU_SHARE : MANY_SLOTS_SHARE;
  const share = (slots: number) => (slots > MODEST_SLOTS ? manySlotsShare : AGENT_SHARE);
  const slots = SLOTS.find((count) => estimate(count).cache <= share(count) * free);
  if (slots === undefined) return { slots: MODEST_SLOTS, reason: 'the default where memory is short' };
  return { slots, reason: `windows of ${contextLength} tokens leave room for others` };
}
