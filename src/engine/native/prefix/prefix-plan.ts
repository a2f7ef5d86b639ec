import type { FoundCopy } from './copies.ts';
import { BLOCK } from './prefix.ts';

/** The time that it takes to fill a KV cache, in ms. */
export interface CacheCosts {
  /** The time to evaluate one prompt token. */
  tokenMs: number;
  /** The time to copy one sequence to another. llama.cpp always copies the whole sequence. */
  copyMs: number;
}

/** The costs before anything was evaluated: a copy then counts as much as evaluating one block. */
export const UNKNOWN_COSTS: CacheCosts = { tokenMs: 1, copyMs: BLOCK };

/**
 * Another slot from which the beginning of a prompt could be copied. Counts are tokens that it has in common with the
 * prompt.
 */
export interface Rival<S> {
  slot: S;
  /** The tokens that it holds now. */
  held: number;
  /**
   * The tokens that it will hold when it has evaluated its own prompt; equal to `held` if there is nothing to wait for.
   */
  promised: number;
}

/**
 * How a slot gets the first `length` tokens of a prompt: it keeps its own, copies another slot, loads a copy from the
 * store, or waits until another slot has evaluated them.
 */
export type PrefixPlan<S> =
  | { kind: 'own'; length: number }
  | { kind: 'copy'; from: S; length: number }
  | { kind: 'load'; copy: FoundCopy; length: number }
  | { kind: 'wait'; on: S; length: number };

/**
 * Returns the quickest way for a slot to get the beginning of a prompt, counting the time to evaluate the rest. The
 * time of waiting is not counted: the other slot computes meanwhile, and two slots that evaluated the same tokens at
 * once would take as long.
 *
 * @param wanted the number of prompt tokens that may come from a cache
 * @param own the number of these tokens that the slot holds itself
 * @param rivals the other slots; of equally quick ones the first is chosen
 * @param copy the best copy in the store; null if there is none
 */
export function planPrefix<S>(
  wanted: number,
  own: number,
  rivals: readonly Rival<S>[],
  copy: FoundCopy | null,
  { tokenMs, copyMs }: CacheCosts,
): PrefixPlan<S> {
  const rest = (length: number) => (wanted - length) * tokenMs;
  const ways: { plan: PrefixPlan<S>; ms: number }[] = [
    { plan: { kind: 'own', length: own }, ms: rest(own) },
    ...rivals.map(({ slot, held }) => ({
      plan: { kind: 'copy' as const, from: slot, length: held },
      ms: copyMs + rest(held),
    })),
  ];
  if (copy) {
    const length = Math.min(copy.length, wanted);
    ways.push({ plan: { kind: 'load', copy, length }, ms: copy.ms + rest(length) });
  }
  const now = cheapest(ways);
  // A later slot may be waiting itself. Less than a block more is not worth a longer chain of waiting slots.
  const later = rivals.filter(({ held, promised }) => promised > held);
  const worthIt = (than: number, { promised }: Rival<S>) => promised >= than + BLOCK;
  const awaited = later.reduce<Rival<S> | null>(
    (best, rival) => (worthIt(best?.promised ?? now.plan.length, rival) ? rival : best),
    null,
  );
  if (!awaited) return now.plan;
  const { slot: on, promised: length } = awaited;
  return cheapest([now, { plan: { kind: 'wait', on, length }, ms: copyMs + rest(length) }]).plan;
}

/** Returns the quickest way; of equally quick ones the first. */
function cheapest<S>(ways: { plan: PrefixPlan<S>; ms: number }[]): { plan: PrefixPlan<S>; ms: number } {
  return ways.reduce((best, way) => (way.ms < best.ms ? way : best));
}
