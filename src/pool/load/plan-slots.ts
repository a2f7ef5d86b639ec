import { AGENT_LENGTH, AGENT_SHARE, defaultContextLength } from '../../engine/context-length.ts';
import type { ModelSource } from '../../engine/engine.ts';
import { estimateMemory, idleExpertBytes, type MemoryPlan } from '../../engine/memory-estimate.ts';

/** The numbers of slots to try if none is configured, largest first. More than 16 hardly increase the tokens per second of a CPU. */
const SLOTS = [16, 8, 4, 2];
/** The number of slots if memory is short, and on WebAssembly. */
const MODEST_SLOTS = 4;
/** The numbers of slots to try where windows that agents need do not fit, with the default window. */
const FEW_SLOTS = [MODEST_SLOTS, 2, 1];
/** The largest number of slots by default. */
export const MOST_DEFAULT_SLOTS = Math.max(...SLOTS);

/**
 * The share of the memory that is free after the weights are loaded which the KV caches of more than `MODEST_SLOTS` slots may use.
 * The caches of fewer slots may use more of it, `AGENT_SHARE`. On a CPU the caches start small and grow up to this share.
 */
const MANY_SLOTS_SHARE = 1 / 3;
/** The same share on a GPU with its own memory, which only models use. */
const GPU_SHARE = 1 / 2;

/** The number of slots of a model, and the reason for the log. */
export interface SlotChoice {
  /** The number of slots that can have their whole window at once. */
  slots: number;
  /** The number of slots where all share one cache, whose size is that of the windows of `slots`. */
  mostSlots?: number;
  reason: string;
}

/**
 * Chooses the number of slots of a model: the configured number, or else as many as memory allows. The memory must hold a context window
 * of the configured length for each slot, or of the length that agents need if none is configured.
 *
 * @param available the bytes that are available for weights and caches
 * @param isForModels true if only models use that memory, as on a GPU with its own memory
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
  const chosen = slotsByMemory({ shape, kind }, asked.contextLength, plan, available, isForModels);
  return plan.backend === 'cpu' ? { ...chosen, mostSlots: MOST_DEFAULT_SLOTS } : chosen;
}

/** Returns the reason for the number of slots that a model got in the end. */
export function slotsReason(slots: number, chosen: SlotChoice): string {
  return slots > chosen.slots ? `they share the room of ${chosen.slots} windows` : chosen.reason;
}

/** Returns as many slots as memory allows, each with its whole window. */
function slotsByMemory(
  { shape, kind }: Pick<ModelSource, 'shape' | 'kind'>,
  asked: number | null,
  plan: Omit<MemoryPlan, 'contextLength' | 'slots'>,
  available: number,
  isForModels: boolean,
): SlotChoice {
  const contextLength = asked ?? Math.min(AGENT_LENGTH, shape.trainedContextLength || AGENT_LENGTH);
  const estimate = (slots: number) => estimateMemory(shape, { ...plan, slots, contextLength });
  const free = Math.max(0, available - estimate(0).weights);
  const manySlotsShare = isForModels ? GPU_SHARE : MANY_SLOTS_SHARE;
  const share = (slots: number) => (slots > MODEST_SLOTS ? manySlotsShare : AGENT_SHARE);
  const slots = SLOTS.find((count) => estimate(count).cache <= share(count) * free);
  if (slots !== undefined) return { slots, reason: `windows of ${contextLength} tokens leave room for others` };
  const modest = asked ?? defaultContextLength({ ...plan, kind, trained: shape.trainedContextLength });
  const ofDefault = (count: number) => estimateMemory(shape, { ...plan, slots: count, contextLength: modest });
  if (plan.backend === 'cpu') {
    const fewer = FEW_SLOTS.find((count) => ofDefault(count).cache <= AGENT_SHARE * free);
    if (fewer !== undefined)
      return { slots: fewer, reason: `more windows of ${modest} tokens would leave no room for others` };
    if (idleExpertBytes(shape) > 0 && ofDefault(1).total > available)
      return { slots: 1, reason: 'the memory is left to the experts, which do not all fit' };
  }
  return { slots: MODEST_SLOTS, reason: 'the default where memory is short' };
}
