import { sum } from '../../../utils/sum.ts';

/**
 * llama.cpp's attention on CPUs computes this many tokens of a sequence at once (`GGML_FA_TILE_Q`), and fewer tokens
 * one by one: after 4,000 tokens, another 48 take 650 ms and another 64 take 470 ms.
 */
export const TILE = 64;

/**
 * A run may have this share more tokens with padding. Prompts of about one length are padded; a reply beside a prompt is not,
 * though one micro-batch less may seem worth it.
 */
const MOST_PADDING = 1 / 4;

/** A part of a forward pass that llama.cpp computes at once: consecutive sequences with equally many tokens each. */
export interface MicroBatch {
  /** The number of sequences. */
  sequences: number;
  /** The number of tokens of each sequence. */
  width: number;
}

/** Consecutive sequences that follow one another in a forward pass: from `from` up to, but without, `to`. */
export interface Run {
  from: number;
  to: number;
  /** The number of tokens that all its sequences are padded to; undefined if each has its own number. */
  width?: number;
}

/**
 * Returns the micro-batches into which llama.cpp cuts a run whose sequences have these numbers of tokens. Each
 * micro-batch takes the first consecutive sequences with tokens left, and the same number of tokens of each: as many as
 * the shortest of them has left. llama.cpp reads all weights again for every micro-batch.
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

/** The sizes of a forward pass's parts. */
export interface PassShape {
  /** The number of tokens of each sequence, by its number; 0 for a sequence without a part. */
  widths: readonly number[];
  /** True for a sequence without a part that could take a filler: a token that is dropped again after the pass. */
  mayFill: readonly boolean[];
  /** How the parts may be padded; undefined if they may not. */
  padding?: Padding | undefined;
}

/** The room for tokens that are added to parts, only to give neighbours one width, and are dropped again after the pass. */
export interface Padding {
  /** The most tokens that each sequence may have in the pass, by its number; 0 if it can not drop tokens. */
  most: readonly number[];
  /** The number of tokens for which the batch has room besides the parts. Fillers take of it, too. */
  spare: number;
}

/**
 * The quickest way to put all sequences before a number into runs: its time in ms, and the run that ends with the last
 * of these sequences; null if that sequence is in no run.
 */
interface Way {
  ms: number;
  run: Run | null;
}

/**
 * Returns the runs with which a forward pass takes the least time, in the order in which llama.cpp has to get them.
 * llama.cpp puts only sequences with consecutive numbers into one micro-batch, so sequences without a part may fill
 * gaps, if the time that this saves is longer. llama.cpp joins neighbouring runs only if their numbers ascend, so runs
 * are returned in descending order. A sequence with a tile or more never shares a run with narrower sequences: the
 * micro-batches would cut it to less than a tile.
 *
 * @param timeOf returns the time of a micro-batch
 */
export function planRuns(shape: PassShape, timeOf: (batch: MicroBatch) => number): Run[] {
  const { widths } = shape;
  const rowTimes = widths.map((_, index) => timeOf({ sequences: index + 1, width: 1 }));
  const padding = paddingBesideFillers(shape);
  const ways: Way[] = [{ ms: 0, run: null }];
  for (let to = 1; to <= widths.length; to++) {
    const way = quickestWay(shape, to, ways, rowTimes, timeOf);
    const padded = padding ? quickestPadded(widths, padding, to, ways, timeOf) : null;
    ways.push(padded && padded.ms < way.ms ? padded : way);
  }

  const runs: Run[] = [];
  for (let to = widths.length; to > 0; ) {
    const run = ways[to]?.run;
    if (run) runs.push(run);
    to = run ? run.from : to - 1;
  }
  return runs;
}

/**
 * Returns the quickest way to put all sequences before `to` into runs, given the ways for all smaller numbers. This
 * runs before every pass, so it is kept fast. Most sequences have one token or fill a gap, and only widen the first
 * micro-batch of a run, which is a row of one token each. The micro-batches after that row are only computed again when
 * a sequence with more tokens joins.
 *
 * @param rowTimes the times of rows of one sequence, of two sequences and so on
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

/** Returns what is left for padding if all gaps are filled; undefined if nothing may be padded. */
function paddingBesideFillers({ widths, mayFill, padding }: PassShape): Padding | undefined {
  if (!padding || widths.every((width) => width <= 1)) return undefined;
  const spare = padding.spare - mayFill.filter(Boolean).length;
  return spare > 0 ? { ...padding, spare } : undefined;
}

/** Returns the quickest way to put all sequences before `to` into runs of which the last is padded; null if there is none. */
function quickestPadded(
  widths: readonly number[],
  padding: Padding,
  to: number,
  ways: readonly Way[],
  timeOf: (batch: MicroBatch) => number,
): Way | null {
  const share = Math.min(MOST_PADDING, padding.spare / sum(widths));
  let quickest: Way | null = null;
  let own = 0;
  let width = 0;
  let most = Number.POSITIVE_INFINITY;
  for (let from = to - 1; from >= 0 && (widths[from] ?? 0) > 0; from--) {
    const each = widths[from] ?? 0;
    own += each;
    width = Math.max(width, each);
    most = Math.min(most, padding.most[from] ?? 0);
    const added = (to - from) * width - own;
    if (added > padding.spare) break;
    if (added === 0 || added > share * own || width > most) continue;
    const ms = (ways[from]?.ms ?? 0) + timeOf({ sequences: to - from, width });
    if (!quickest || ms < quickest.ms) quickest = { ms, run: { from, to, width } };
  }
  return quickest;
}
