import { sum } from '../../../utils/sum.ts';

/**
 * llama.cpp's attention on CPUs takes so many tokens of a sequence at once (`GGML_FA_TILE_Q`), and fewer one by one: 48 tokens after
 * 4,000 others take 650 ms where 64 take 470.
 */
export const TILE = 64;

/** What llama.cpp computes at once of a forward pass: consecutive sequences that bring equally many tokens each. */
export interface MicroBatch {
  sequences: number;
  /** The tokens of each sequence. */
  width: number;
}

/** Consecutive sequences that are put into a forward pass one after the other: from `from` to the one before `to`. */
export interface Run {
  from: number;
  to: number;
}

/**
 * Says how llama.cpp cuts a run whose sequences bring these numbers of tokens: each micro-batch has the first sequences that follow one
 * another and have tokens left, and as many tokens of each as the shortest has. It reads all weights anew for every one.
 */
export function cutRun(widths: readonly number[]): MicroBatch[] {
  const left = [...widths];
  const batches: MicroBatch[] = [];
  for (let from = 0; from < left.length; ) {
    if (left[from] === 0) {
      from += 1;
      continue;
    }
    let to = from;
    while ((left[to] ?? 0) > 0) to += 1;
    const width = Math.min(...left.slice(from, to));
    for (let index = from; index < to; index++) left[index] = (left[index] ?? 0) - width;
    batches.push({ sequences: to - from, width });
  }
  return batches;
}

/** What a forward pass consists of. */
export interface PassShape {
  /** The tokens that each sequence brings, by its number; 0 for those that bring none. */
  widths: readonly number[];
  /** True for a sequence that brings none, but could take a token that is dropped again after the pass. */
  mayFill: readonly boolean[];
}

/** The quickest way to have all sequences before some number in runs: its time, and its last run, if that ends there. */
interface Way {
  ms: number;
  run: Run | null;
}

/**
 * Plans the runs of a forward pass so that it takes the least time. llama.cpp puts only sequences with consecutive numbers into one
 * micro-batch, and a kernel may be quicker with more tokens: so sequences that bring nothing may fill gaps. And it joins only runs in
 * ascending order: so those that are quicker apart are returned in descending order. A sequence with a tile or more is not put together
 * with narrower ones, which would leave it with less than a tile.
 *
 * @param timeOf the time of a micro-batch
 */
export function planRuns(shape: PassShape, timeOf: (batch: MicroBatch) => number): Run[] {
  const { widths } = shape;
  const rowTimes = widths.map((_, index) => timeOf({ sequences: index + 1, width: 1 }));
  const ways: Way[] = [{ ms: 0, run: null }];
  for (let to = 1; to <= widths.length; to++) ways.push(quickestWay(shape, to, ways, rowTimes, timeOf));

  const runs: Run[] = [];
  for (let to = widths.length; to > 0; ) {
    const run = ways[to]?.run;
    if (run) runs.push(run);
    to = run ? run.from : to - 1;
  }
  return runs;
}

/**
 * Finds the quickest way to have all sequences before `to` in runs, from the ways for those before each earlier one. Most sequences
 * bring one token or fill a gap: those only make the row longer with which a run begins. So what follows the row is cut anew only for
 * those that bring more, as this is done for every pass.
 *
 * @param rowTimes the times of rows of one sequence, of two and so on
 */
function quickestWay(
  { widths, mayFill }: PassShape,
  to: number,
  ways: readonly Way[],
  rowTimes: readonly number[],
  timeOf: (batch: MicroBatch) => number,
): Way {
  const before = (index: number) => ways[index]?.ms ?? 0;
  let quickest: Way = { ms: widths[to - 1] === 0 ? before(to - 1) : Number.POSITIVE_INFINITY, run: null };
  let brings = false;
  let isWide = false;
  let isNarrow = false;
  let hasRow = false;
  let restMs = 0;
  for (let from = to - 1; from >= 0 && (widths[from] !== 0 || mayFill[from]); from--) {
    const width = widths[from] ?? 0;
    brings ||= width > 0;
    isWide ||= width >= TILE;
    isNarrow ||= width < TILE;
    if (isWide && isNarrow) break;
    if (width > 1 || !hasRow) {
      hasRow ||= width <= 1;
      const inRow = hasRow ? 1 : 0;
      restMs = sum(cutRun(widths.slice(from, to).map((one) => Math.max(1, one) - inRow)).map(timeOf));
    }
    const ms = before(from) + (hasRow ? (rowTimes[to - from - 1] ?? 0) : 0) + restMs;
    if (brings && ms < quickest.ms) quickest = { ms, run: { from, to } };
  }
  return quickest;
}
