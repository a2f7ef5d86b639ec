import type { Token } from '../llama/tokens/token.ts';
import type { FoundCopy } from './copies.ts';
import { BLOCK, createPrefix, isAlone, type Prefix, sharedLength } from './prefix.ts';
import type { PrefixIndex } from './prefix-index.ts';
import type { Rival } from './prefix-plan.ts';
import type { SlotState } from './slot-state.ts';

/** A slot, as the functions that decide see it: its state, and the tokens in its sequence. */
export interface SlotView {
  readonly state: SlotState;
  readonly sequence: { readonly length: number; readonly tokens: readonly Token[] };
}

/** Returns the number of first tokens that a slot and a prompt have in common; 0 if their scopes differ. */
export function sharedTokens({ state, sequence }: SlotView, prompt: Prefix): number {
  return sharedLength({ scope: state.scope, tokens: sequence.tokens }, prompt);
}

/**
 * Returns the slots from which `self` can copy the beginning of a prompt, now or after their own prefill, in ascending
 * order of their turns.
 *
 * @param slots slots that share at least one block with the prompt
 * @param forgets true if a slot can only be copied as a whole
 */
export function rivalsOf<S extends SlotView>(
  slots: Iterable<S>,
  self: S,
  wanted: Prefix,
  forgets: boolean,
): Rival<S>[] {
  return [...slots]
    .filter((slot) => slot !== self)
    .sort((a, b) => a.state.turn - b.state.turn)
    .map((slot) => {
      const { promise, turn } = slot.state;
      const shared = sharedTokens(slot, wanted);
      const held = forgets && shared < slot.sequence.length ? 0 : shared;
      const promised = promise && turn < self.state.turn ? sharedLength(promise, wanted) : 0;
      const isAhead = !forgets || promised > slot.sequence.length;
      return { slot, held, promised: Math.max(held, isAhead ? promised : 0) };
    });
}

/**
 * Returns how long it would take to restore the tokens that only this slot holds, in ms: by evaluating them, or by
 * loading a copy.
 *
 * @param uniqueBlocks the number of blocks that no other slot holds
 * @param copy the best copy of what the slot holds
 * @param tokenMs the time of evaluating one prompt token, in ms
 */
export function restoreMs(held: Prefix, uniqueBlocks: number, copy: FoundCopy | null, tokenMs: number): number {
  if (uniqueBlocks === 0 || isAlone(held.scope)) return 0;
  const loadMs = copy ? copy.ms + (held.tokens.length - copy.length) * tokenMs : Number.POSITIVE_INFINITY;
  return Math.min(uniqueBlocks * BLOCK * tokenMs, loadMs);
}

/** The cache before a slot takes a prompt. */
export interface CacheView {
  /** The number of first tokens of the prompt that were evicted recently; 0 if a slot still holds as many. */
  lost: number;
  /** The tokens of each idle slot with the prompt's scope. */
  cached: Token[][];
  /** The tokens of the slot, if it is about to lose some that no other slot holds; else null. */
  endangered: Prefix | null;
}

/**
 * Describes the cache before `self` takes a prompt.
 *
 * @param kept the number of first tokens of the prompt that the slot holds already
 */
export function viewCache<S extends SlotView>(
  index: Pick<PrefixIndex<S>, 'remembered' | 'find' | 'unique'>,
  slots: readonly S[],
  self: S,
  prompt: Prefix,
  kept: number,
): CacheView {
  const remembered = index.remembered(prompt.hashes);
  const lost = remembered > Math.max(0, ...index.find(prompt.hashes).values()) ? remembered * BLOCK : 0;
  const idle = slots.filter((slot) => slot.state.scope === prompt.scope && (slot === self || !slot.state.busy));
  const loses = index.unique(self) > 0 && kept < self.sequence.length;
  return {
    lost,
    cached: idle.map(({ sequence }) => [...sequence.tokens]),
    endangered: loses ? createPrefix(self.state.scope, [...self.sequence.tokens]) : null,
  };
}
