/** The facts by which a slot is chosen. Counts are in tokens. */
export interface SlotCandidate {
  busy: boolean;
  /** When it was taken last, in ms. */
  usedAt: number;
  cached: number;
  /** The number of cached tokens that are also the beginning of the prompt. */
  shared: number;
  /** The blocks of tokens that it holds and no other slot. */
  unique: number;
  /** True if what it holds is of a conversation that the client calls by the same name. */
  namesake: boolean;
}

/**
 * Chooses the free slot for a prompt and returns its index, or undefined if all are busy. It prefers a slot of which
 * the prompt continues at least half of the cache; unless more of that would be lost than a copy costs, and another slot has nothing
 * to lose: the beginning can be copied. Otherwise it takes a slot with an older state of the same conversation, by its name; else one
 * that was unused for longest: a short common beginning, such as a system prompt, is no reason to overwrite another conversation.
 *
 * @param copyTokens the number of tokens whose evaluation takes as long as a copy
 */
export function chooseSlot(candidates: SlotCandidate[], copyTokens: number): number | undefined {
  const free = candidates.map((candidate, index) => ({ ...candidate, index })).filter(({ busy }) => !busy);
  const [continued] = free
    .filter(({ shared, cached }) => shared > 0 && shared >= cached / 2)
    .sort((a, b) => b.shared - a.shared);
  const [oldest] = free.sort((a, b) => a.usedAt - b.usedAt);
  const outdated = free.find(({ namesake }) => namesake);
  const spare = free.find(({ unique }) => unique === 0);
  const branches = continued && continued.unique > 0 && continued.cached - continued.shared > copyTokens;
  return ((branches ? spare : undefined) ?? continued ?? outdated ?? spare ?? oldest)?.index;
}
