/** The facts by which a slot is chosen for a prompt. Counts are in tokens. */
export interface SlotCandidate {
  busy: boolean;
  /** When it was taken last, in ms. */
  usedAt: number;
  /** The number of tokens that it holds. */
  cached: number;
  /** The number of first tokens that it has in common with the prompt. */
  shared: number;
  /** The number of blocks that no other slot holds. */
  unique: number;
  /** The time to restore these blocks if they are overwritten, in ms. */
  lossMs: number;
  /** True if its tokens belong to a conversation to which the client gave the same name. */
  namesake: boolean;
}

/** The costs between which the choice of a slot decides. */
export interface SlotCosts {
  /** The number of tokens whose evaluation takes as long as a copy of a sequence. */
  copyTokens: number;
  /** The time to copy the beginning of a prompt to another slot, in ms; infinite if the model does not allow that. */
  moveMs: number;
  /** Returns the time of a forward pass for the replies of this many slots with consecutive numbers, in ms. */
  rowsMs: (slots: number) => number;
}

/** The assumed length of a reply, in passes. */
const PASSES = 100;

/**
 * Returns the index of the best free slot for a prompt; undefined if all slots are busy.
 *
 * 1. A slot is best if the prompt continues at least half of its tokens. But if this would overwrite more unique tokens
 *    than a copy costs, and there is a free slot without unique tokens, the beginning is copied to that slot.
 * 2. Else a slot is best if it holds an older state of the conversation with the same name.
 * 3. Else the least recently used slot is best. A short common beginning, such as a system prompt, is no reason to
 *    overwrite another conversation.
 *
 * llama.cpp computes slots with consecutive numbers together, and other slots one after the other. So while replies are
 * generated, a slot next to the busy ones is better if the time that this saves exceeds the time to restore what it
 * holds, or to copy the beginning to it. The time to restore counts in full for the most recently used slot, and not at
 * all for the least recently used one.
 */
export function chooseSlot(candidates: SlotCandidate[], costs: SlotCosts): number | undefined {
  const { copyTokens, moveMs, rowsMs } = costs;
  const apart = apartMs(
    candidates.map(({ busy }) => busy),
    rowsMs,
  );
  const free = candidates
    .map((slot, index) => ({ slot, index, apartMs: Math.round(PASSES * (apart[index] ?? 0)), age: 0, costMs: 0 }))
    .filter(({ slot }) => !slot.busy)
    .sort((a, b) => a.slot.usedAt - b.slot.usedAt);
  for (const [age, place] of free.entries()) {
    const share = age / Math.max(1, free.length - 1);
    place.age = age;
    place.costMs = place.apartMs + (place.slot.namesake ? 0 : place.slot.lossMs * share);
  }
  const continued = bestOf(
    free.filter(({ slot: { shared, cached } }) => shared > 0 && shared >= cached / 2),
    (a, b) => b.slot.shared - a.slot.shared,
  );
  const best = bestOf(
    free,
    (a, b) =>
      a.costMs - b.costMs ||
      Number(b.slot.namesake) - Number(a.slot.namesake) ||
      Number(a.slot.unique > 0) - Number(b.slot.unique > 0) ||
      a.age - b.age,
  );
  if (!best || !continued) return best?.index;
  const spare = bestOf(
    free.filter(({ slot }) => slot.unique === 0),
    (a, b) => a.apartMs - b.apartMs || a.age - b.age,
  );
  const { unique, cached, shared } = continued.slot;
  if (unique > 0 && cached - shared > copyTokens && spare) return spare.index;
  return continued.apartMs > moveMs + best.costMs ? best.index : continued.index;
}

/** Returns the first of a list in an order, as a sort would put it; undefined for none. */
function bestOf<T>(list: readonly T[], order: (a: T, b: T) => number): T | undefined {
  return list.reduce<T | undefined>(
    (best, item) => (best !== undefined && order(best, item) <= 0 ? best : item),
    undefined,
  );
}

/**
 * Returns for each slot how much longer a pass takes, in ms, than with the slot that gives the shortest passes. A slot
 * joins the rows of busy slots beside it to one row.
 */
function apartMs(busy: readonly boolean[], rowsMs: (slots: number) => number): number[] {
  const known = new Map([[0, 0]]);
  const timeOf = (slots: number) => {
    const ms = known.get(slots) ?? rowsMs(slots);
    known.set(slots, ms);
    return ms;
  };
  const before = busyBefore(busy);
  const after = busyBefore(busy.toReversed()).reverse();
  const added = busy.map((_, index) => {
    const [left = 0, right = 0] = [before[index], after[index]];
    return timeOf(left + 1 + right) - timeOf(left) - timeOf(right);
  });
  const least = Math.min(...added.filter((_, index) => !busy[index]));
  return added.map((ms) => ms - least);
}

/** Returns for each slot the number of busy slots right before it. */
function busyBefore(busy: readonly boolean[]): number[] {
  let run = 0;
  return busy.map((is) => {
    const before = run;
    run = is ? run + 1 : 0;
    return before;
  });
}
