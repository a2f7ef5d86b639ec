import { sum } from '../../../utils/sum.ts';

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
    .map((candidate, index) => ({ ...candidate, index, apartMs: Math.round(PASSES * (apart[index] ?? 0)) }))
    .filter(({ busy }) => !busy)
    .sort((a, b) => a.usedAt - b.usedAt)
    .map((slot, age, { length }) => {
      const share = age / Math.max(1, length - 1);
      return { ...slot, age, costMs: slot.apartMs + (slot.namesake ? 0 : slot.lossMs * share) };
    });
  const [continued] = free
    .filter(({ shared, cached }) => shared > 0 && shared >= cached / 2)
    .sort((a, b) => b.shared - a.shared);
  const [best] = free.toSorted(
    (a, b) =>
      a.costMs - b.costMs ||
      Number(b.namesake) - Number(a.namesake) ||
      Number(a.unique > 0) - Number(b.unique > 0) ||
      a.age - b.age,
  );
  const [spare] = free.filter(({ unique }) => unique === 0).sort((a, b) => a.apartMs - b.apartMs || a.age - b.age);
  if (!best || !continued) return best?.index;
  const branches = continued.unique > 0 && continued.cached - continued.shared > copyTokens;
  if (branches && spare) return spare.index;
  return continued.apartMs > moveMs + best.costMs ? best.index : continued.index;
}

/**
 * Returns for each slot how much longer a pass takes if that slot is taken instead of the one with the shortest passes,
 * in ms.
 */
function apartMs(busy: readonly boolean[], rowsMs: (slots: number) => number): number[] {
  const times = busy.map((_, index) => sum(rowsOf(busy.map((is, other) => is || other === index)).map(rowsMs)));
  const least = Math.min(...times.filter((_, index) => !busy[index]));
  return times.map((ms) => ms - least);
}

/** Returns the lengths of the rows of busy slots with consecutive numbers. */
function rowsOf(busy: readonly boolean[]): number[] {
  const rows: number[] = [];
  for (const [index, is] of busy.entries()) {
    if (is && busy[index - 1]) rows[rows.length - 1] = (rows.at(-1) ?? 0) + 1;
    else if (is) rows.push(1);
  }
  return rows;
}
