import { sum } from '../../../utils/sum.ts';

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
  /** What it takes to have those again, in ms. */
  lossMs: number;
  /** True if what it holds is of a conversation that the client calls by the same name. */
  namesake: boolean;
}

/** What the choice of a slot costs. */
export interface SlotCosts {
  /** The number of tokens whose evaluation takes as long as a copy. */
  copyTokens: number;
  /** What it takes to go on in another slot than the one that has the beginning, in ms; infinite if the model can't. */
  moveMs: number;
  /** The time of a pass for the replies of so many slots that follow one another, in ms. */
  rowsMs: (slots: number) => number;
}

/** The passes for which a slot is taken: the tokens of a usual reply. */
const PASSES = 100;

/**
 * Chooses the free slot for a prompt and returns its index, or undefined if all are busy. It prefers a slot of which
 * the prompt continues at least half of the cache; unless more of that would be lost than a copy costs, and another slot has nothing
 * to lose: the beginning can be copied. Otherwise it takes a slot with an older state of the same conversation, by its name; else one
 * that was unused for longest: a short common beginning, such as a system prompt, is no reason to overwrite another conversation.
 *
 * Slots that follow one another are computed together, others one after the other. So while others write, it takes one beside them,
 * if that saves more than what is lost there, or what copying the beginning to it costs. The loss counts in full for the slot that was
 * used last, and not at all for the one that was unused for longest.
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

/** What each slot, taken beside the busy ones, makes a pass longer than the one that is best for that, in ms. */
function apartMs(busy: readonly boolean[], rowsMs: (slots: number) => number): number[] {
  const times = busy.map((_, index) => sum(rowsOf(busy.map((is, other) => is || other === index)).map(rowsMs)));
  const least = Math.min(...times.filter((_, index) => !busy[index]));
  return times.map((ms) => ms - least);
}

/** The lengths of the rows of busy slots that follow one another. */
function rowsOf(busy: readonly boolean[]): number[] {
  const rows: number[] = [];
  for (const [index, is] of busy.entries()) {
    if (is && busy[index - 1]) rows[rows.length - 1] = (rows.at(-1) ?? 0) + 1;
    else if (is) rows.push(1);
  }
  return rows;
}
