import type { Decoder } from '../llama/decoder.ts';
import { createSequence, type Sequence } from '../llama/sequence.ts';
import type { Copies } from './copies.ts';
import { createPauses, type Pauses } from './pauses.ts';
import { createPrefixIndex, type PrefixIndex } from './prefix-index.ts';
import type { CacheCosts } from './prefix-plan.ts';
import type { SlotCosts } from './slot.ts';
import { EMPTY_SLOT, type SlotState } from './slot-state.ts';
import { createWaiters, type Waiters } from './waiters.ts';

/** A place for one generation. Its KV cache still holds the tokens of the previous generation. */
export interface Slot {
  readonly sequence: Sequence;
  /** The number of tokens at which the prefill of its prompt has to pause next; infinite if it need not pause. */
  readonly pauseAt: number;
}

/** A slot with all that the store keeps of it. */
export interface StoredSlot extends Slot {
  state: SlotState;
  readonly pauses: Pauses;
  readonly waiters: Waiters;
}

/** The objects that all parts of a prefix store share. */
export interface StoreParts {
  decoder: Decoder;
  copies: Copies;
  /** True for a model that cannot drop its latest tokens. A request can then copy only all that a slot holds. */
  forgets: boolean;
  /** Returns what evaluating, copying and forward passes cost now. */
  costs: () => CacheCosts & Pick<SlotCosts, 'rowsMs'>;
  index: PrefixIndex<StoredSlot>;
  /** The slot at each place has the sequence of that number. */
  slots: readonly StoredSlot[];
}

/** Makes the slots of a decoder, all empty, and their index. */
export function createStoreParts(options: Omit<StoreParts, 'index' | 'slots'>): StoreParts {
  const { decoder } = options;
  const slots = Array.from({ length: decoder.sequences }, (_, id) => createStoredSlot(decoder, id));
  return { ...options, index: createPrefixIndex<StoredSlot>(), slots };
}

function createStoredSlot(decoder: Decoder, id: number): StoredSlot {
  const sequence = createSequence(decoder, id);
  const pauses = createPauses();
  return {
    sequence,
    pauses,
    waiters: createWaiters(),
    state: EMPTY_SLOT,
    get pauseAt() {
      return pauses.after(sequence.length);
    },
  };
}
