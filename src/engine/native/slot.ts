import type { Decoder } from './decoder.ts';
import type { Token } from './llama.ts';
import { createSequence, type Sequence } from './sequence.ts';

/** A place for one generation. Its KV cache still has what the previous generation left. */
export interface Slot {
  sequence: Sequence;
  busy: boolean;
  /** `performance.now()` at the beginning of its latest generation, in ms. */
  usedAt: number;
}

export function createSlots(decoder: Decoder): Slot[] {
  return Array.from({ length: decoder.sequences }, (_, index) => ({
    sequence: createSequence(decoder, index),
    busy: false,
    usedAt: 0,
  }));
}

/** The facts by which a slot is chosen. Counts are in tokens. */
export interface SlotCandidate {
  busy: boolean;
  usedAt: number;
  cached: number;
  /** The number of cached tokens that are also the beginning of the prompt. */
  shared: number;
}

/**
 * Chooses the free slot for a prompt and returns its index, or undefined if all are busy. It prefers a slot of which
 * the prompt continues at least half of the cache. Otherwise it takes the slot that was unused for longest: a short
 * common beginning, such as a system prompt, is no reason to overwrite another conversation.
 */
export function chooseSlot(candidates: SlotCandidate[]): number | undefined {
  const free = candidates.map((candidate, index) => ({ ...candidate, index })).filter(({ busy }) => !busy);
  const [continued] = free
    .filter(({ shared, cached }) => shared > 0 && shared >= cached / 2)
    .sort((a, b) => b.shared - a.shared);
  const [oldest] = free.sort((a, b) => a.usedAt - b.usedAt);
  return (continued ?? oldest)?.index;
}

/**
 * Removes from the slot's KV cache all that the prompt can't use, and returns the number of tokens that are left. The
 * prompt's last token is never kept, because evaluating it gives the first token of the reply.
 */
export async function prepareSlot({ sequence }: Slot, prompt: Token[], useCache: boolean): Promise<number> {
  await sequence.truncate(useCache ? sequence.shared(prompt.slice(0, -1)) : 0);
  return sequence.length;
}

/** Copies the cached beginning of the prompt to another slot. If that fails, the other slot has to evaluate the prompt itself. */
export async function shareCache(from: Slot, to: Slot, prompt: Token[]): Promise<void> {
  await to.sequence.copyFrom(from.sequence, from.sequence.shared(prompt));
}
