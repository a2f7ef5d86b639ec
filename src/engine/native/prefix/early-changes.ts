import type { Miss } from './cache-miss.ts';

/** The number of prompts that have to change at the same place. */
const TELLING_COUNT = 3;
/** A change that costs fewer tokens than this is not reported. */
const WORTH_TELLING = 512;
/** The most places that are remembered at once. */
const MOST_PLACES = 64;

/**
 * Detects clients whose prompts change early in every turn, for example because the system prompt contains the time.
 * The cache cannot be used for the tokens after such a change.
 *
 * @param tell called at most once, with the place of the change and the length of the prompt, in tokens
 * @returns a function to be called with the miss of each prompt
 */
export function watchEarlyChanges(
  tell: (at: number, promptTokens: number) => void,
): (miss: Miss | null, promptTokens: number) => void {
  const counts = new Map<number, number>();
  let told = false;
  return (miss, promptTokens) => {
    if (told || miss?.why !== 'changed') return;
    const { at } = miss;
    if (at > promptTokens / 2 || promptTokens - at < WORTH_TELLING) return;
    const count = (counts.get(at) ?? 0) + 1;
    if (counts.size >= MOST_PLACES) counts.clear();
    counts.set(at, count);
    told = count >= TELLING_COUNT;
    if (told) tell(at, promptTokens);
  };
}
