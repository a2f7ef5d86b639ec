import type { FoundCopy } from './copies.ts';
import { BLOCK } from './prefix.ts';

/** What it costs to have tokens in a KV cache, in ms. */
export interface CacheCosts {
  /** Evaluating a token of a prompt. */
  tokenMs: number;
  /** Copying one sequence to another: always the whole of it. */
  copyMs: number;
}

/** Before anything was evaluated: a copy is taken to be worth a block. */
export const UNKNOWN_COSTS: CacheCosts = { tokenMs: 1, copyMs: BLOCK };

/** Another slot, as the plan for a prompt sees it. Counts are the tokens that it has in common with the prompt. */
export interface Rival<S> {
  slot: S;
  /** What it holds now. */
  held: number;
  /** What it will hold when it has evaluated its own prompt; `held` where that is not awaited. */
  promised: number;
}

/** How a slot gets at the beginning of a prompt. `length` is in tokens. */
export type PrefixPlan<S> =
  | { kind: 'own'; length: number }
  | { kind: 'copy'; from: S; length: number }
  | { kind: 'load'; copy: FoundCopy; length: number }
  | { kind: 'wait'; on: S; length: number };

/**
 * Plans how a slot gets at the beginning of a prompt: the way that costs least, with what is left to evaluate. Waiting costs nothing
 * here, because whoever is waited for computes meanwhile, and two that compute at once need as long.
 *
 * @param wanted the tokens of the prompt that may come from a cache
 * @param own those that the slot holds itself
 * @param rivals in the order in which they are to be preferred
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
  // One that comes later waits itself, perhaps: a few tokens are not worth a chain of those.
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

/** The first of those that cost least. */
function cheapest<S>(ways: { plan: PrefixPlan<S>; ms: number }[]): { plan: PrefixPlan<S>; ms: number } {
  return ways.reduce((best, way) => (way.ms < best.ms ? way : best));
}
