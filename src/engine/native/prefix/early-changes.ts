import type { Miss } from './cache-miss.ts';

/** So many prompts that change at the same place are no accident. */
const TELLING_COUNT = 3;
/** Fewer tokens than this are quickly evaluated. */
const WORTH_TELLING = 512;
/** Places that are remembered at once. */
const MOST_PLACES = 64;

/**
 * Notices clients whose prompts change early in every turn, as those with the time in their system prompt do: nothing after that
 * place can be taken from the cache.
 *
 * @param tell called once, with the place of the change and the length of the prompt, in tokens
 * @returns a function to be called with what each prompt missed
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
