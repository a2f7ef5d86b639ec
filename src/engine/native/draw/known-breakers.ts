import type { Sampling } from '../../../contract/sampling.ts';
import { type Breakers, type BreakerVocabulary, findBreakers } from '../../../sampling/breakers.ts';
import { nextTurn } from '../../node/next-turn.ts';

/** The most lists of breakers that are remembered. To find one in a large vocabulary takes some tenths of a second. */
const MOST_LISTS = 8;

/**
 * Returns a function that finds the breakers of a request; undefined if DRY is off. It remembers the latest lists of
 * breakers.
 */
export function rememberBreakers(
  vocabulary: BreakerVocabulary,
): (sampling: Sampling) => Promise<Breakers | undefined> | undefined {
  const known = new Map<string, Promise<Breakers>>();
  return ({ dryMultiplier, dryBreakers }) => {
    if (dryMultiplier === 0) return undefined;
    const key = JSON.stringify(dryBreakers);
    const found = known.get(key) ?? findBreakers(dryBreakers, vocabulary, nextTurn);
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > MOST_LISTS && oldest !== undefined) known.delete(oldest);
    return found;
  };
}
