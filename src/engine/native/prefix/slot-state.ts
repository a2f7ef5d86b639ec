import type { Token } from '../llama/tokens/token.ts';
import { createPrefix, type Prefix } from './prefix.ts';

/**
 * The state of a slot in the prefix store, besides the tokens in its sequence. The functions of this file return the
 * next state: a slot is taken, promised a prompt, filled with the beginning of that prompt, and freed.
 */
export interface SlotState {
  readonly busy: boolean;
  /** `performance.now()` when the slot was taken last, in ms. */
  readonly usedAt: number;
  /** The scope of the tokens in the slot. */
  readonly scope: string;
  /** The tokens that the slot held when it was freed last. */
  readonly held: Prefix;
  /** The client's name for the conversation whose tokens are in the slot. */
  readonly name: string | undefined;
  /** The client's name for the conversation of the request that took the slot. */
  readonly nextName: string | undefined;
  /**
   * True once the tokens in the slot belong to the request that took it. Until then they may belong to another scope.
   */
  readonly filled: boolean;
  /** The prompt that the slot is evaluating or has evaluated; null while the slot is free. */
  readonly promise: Prefix | null;
  /**
   * The number of the latest promise, counted over all slots. A slot waits only for slots with a lower turn, so there
   * is no deadlock.
   */
  readonly turn: number;
}

/** A free slot that has never held a token. */
export const EMPTY_SLOT: SlotState = {
  busy: false,
  usedAt: 0,
  scope: '',
  held: createPrefix('', []),
  name: undefined,
  nextName: undefined,
  filled: false,
  promise: null,
  turn: 0,
};

/** Returns the state of a slot that a request has taken. It still holds the tokens of the previous request. */
export function takenSlot(state: SlotState, now: number, name: string | undefined): SlotState {
  return { ...state, busy: true, filled: false, usedAt: now, nextName: name };
}

/** Returns the state of a busy slot that is going to evaluate this prompt. */
export function promisedSlot(state: SlotState, prompt: Prefix, turn: number): SlotState {
  return { ...state, promise: prompt, turn };
}

/** Returns the state of a busy slot whose old tokens are about to be replaced by tokens of its own prompt. */
export function filledSlot(state: SlotState, scope: string): SlotState {
  return { ...state, scope, name: state.nextName, filled: true };
}

/**
 * Returns the state of a slot that its request gives back. Tokens of that request go over to `scope`; if the slot was
 * never filled, its tokens keep the scope that they had.
 *
 * @param tokens the tokens in the slot
 */
export function freedSlot(state: SlotState, scope: string, tokens: readonly Token[]): SlotState {
  const owner = state.filled ? scope : state.scope;
  return { ...state, busy: false, promise: null, scope: owner, held: createPrefix(owner, tokens) };
}
