import type { Decoder } from '../llama/decoder.ts';
import type { Token } from '../llama/tokens/token.ts';
import type { Copies } from './copies.ts';
import { evictIdle } from './evict.ts';
import { createPrefix, type Prefix } from './prefix.ts';
import { type Prepared, prepareSlot } from './prepare-slot.ts';
import { freedSlot } from './slot-state.ts';
import { createStoreParts, type Slot, type StoredSlot, type StoreParts } from './stored-slot.ts';
import { takeSlots } from './take-slots.ts';

export type { Prepared, Slot };

/**
 * The KV caches of all slots as one store of prefixes. `prepare`, `advanced` and `free` throw for a slot that it does
 * not have.
 */
export interface PrefixStore {
  /**
   * Takes a free slot for each choice of a request, or as many as are free: the first one is the best for the prompt.
   * Returns none if all slots are busy.
   *
   * @param name the client's name for the conversation
   */
  take(prompt: Prefix, choices: number, name?: string): Slot[];
  /**
   * Fills a slot with the longest beginning of a prompt that the slots and their copies hold, and drops all other
   * tokens. Waits for another slot if that slot is about to evaluate a longer beginning. Leaves out the prompt's last
   * token: evaluating it gives the first token of the reply. Resolves to null if the signal aborts.
   *
   * @param turnEnds the numbers of tokens at which the turns of the prompt end; only needed for a model that cannot
   *   drop tokens
   */
  prepare(slot: Slot, prompt: Prefix, signal: AbortSignal, turnEnds?: readonly number[]): Promise<Prepared | null>;
  /**
   * To be called after each part of the prompt that a slot has evaluated. Wakes the requests that wait for these
   * tokens. The slot may evaluate the next part when this resolves.
   */
  advanced(slot: Slot): Promise<void>;
  /**
   * Gives a slot back. From now on `scope` may reuse the tokens of its request; tokens of earlier requests keep their
   * scope.
   */
  free(slot: Slot, scope: string): void;
  /**
   * Drops what the idle slot holds that was used the longest time ago. Resolves to false if no idle slot holds any tokens.
   */
  evict(): Promise<boolean>;
  /** Returns what each slot holds now. */
  held(): HeldSlot[];
}

/** The content of a slot. */
export interface HeldSlot {
  /** The number of its sequence. */
  sequence: number;
  busy: boolean;
  /** When it was taken last, in ms. While this number stays the same, a free slot holds the same tokens. */
  usedAt: number;
  scope: string;
  tokens: readonly Token[];
}

/**
 * @param forgets true for a model that cannot drop its latest tokens: a request can then copy only all that a slot
 *   holds
 * @param costs returns what evaluating, copying and forward passes cost now
 */
export function createPrefixStore(
  decoder: Decoder,
  copies: Copies,
  forgets: boolean,
  costs: StoreParts['costs'],
): PrefixStore {
  const parts = createStoreParts({ decoder, copies, forgets, costs });
  const { index, slots } = parts;
  let turns = 0;

  const storedOf = (slot: Slot): StoredSlot => {
    const stored = slots[slot.sequence.id];
    if (!stored) throw new Error(`the store has no slot ${slot.sequence.id}`);
    return stored;
  };

  return {
    take: (prompt, choices, name) => takeSlots(parts, prompt, choices, name),

    async prepare(slot, prompt, signal, turnEnds = []) {
      turns += 1;
      return prepareSlot(parts, storedOf(slot), { prompt, turn: turns, signal, turnEnds });
    },

    async advanced(slot) {
      const { sequence, pauses, waiters, state } = storedOf(slot);
      const place = sequence.length;
      if (pauses.isKeptAt(place)) await copies.keep(createPrefix(state.scope, [...sequence.tokens]), sequence.id, 0);
      waiters.wake(place);
      await pauses.shared(place);
    },

    free(slot, scope) {
      const stored = storedOf(slot);
      stored.state = freedSlot(stored.state, scope, stored.sequence.tokens);
      // The index has the whole prompt, which the slot may not have evaluated to its end.
      index.revoke(stored);
      index.hold(stored, stored.state.held.hashes);
      stored.waiters.wake(Number.POSITIVE_INFINITY);
    },

    evict: () => evictIdle(parts),

    held: () =>
      slots.map(({ state: { busy, usedAt, scope }, sequence }) => ({
        sequence: sequence.id,
        busy,
        usedAt,
        scope,
        tokens: sequence.tokens,
      })),
  };
}
