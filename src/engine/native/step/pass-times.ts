import { sum } from '../../../utils/sum.ts';
import type { MicroBatch } from '../llama/micro-batches.ts';

/**
 * The time of a micro-batch by its number of tokens. It is measured all the time: it changes with the load of the
 * machine.
 */
export interface TokenTimes {
  /** Notes the measured time of a micro-batch. */
  note(tokens: number, ms: number): void;
  /** Notes an estimated share of the time of several micro-batches. */
  suppose(tokens: number, ms: number): void;
  /** True if a micro-batch of about this many tokens was measured by itself. */
  knows(tokens: number): boolean;
  /** True if nothing was noted. */
  readonly empty: boolean;
  /**
   * Returns the time for this many tokens, in ms. Before the first measurement, returns a multiple of the unknown time
   * of one token.
   */
  of(tokens: number): number;
}

/**
 * Until it is measured, the time grows with a power of the number of tokens up to this number, and nearly linearly after it.
 * For one sequence (`line`) the power is low: 16 tokens are assumed to take 2.3 times as long as one, so that
 * speculation is tried. For several sequences (`row`) it is high: 16 tokens are assumed to take 5 times as long, so
 * that they are measured before prompts are cut for them.
 */
const GROWS_UP_TO = 16;
const GROWTH = { line: 0.3, row: 0.6 };
/** Nearly linearly, so that one large micro-batch is tried in place of several small ones. */
const GROWTH_AFTER = 0.95;
/** Up to this number, every number of tokens has its own time: with some kernels 8 tokens take half as long as 7. */
const EXACT = 16;
/** Up to this number, there is one time for each half power of two. Larger micro-batches are not noted. */
const MOST_TOKENS = 512;
/** The most that one measurement changes a known time, as a share of it: one slow pass says little. */
const STEP = 0.1;
/**
 * The first passes of a shape take longer: buffers are allocated, kernels are loaded. So the shortest of this many times
 * counts, and until then no more than what the growth predicts. Otherwise a shape that was slow once would be avoided,
 * and not be measured again.
 */
const TRUSTED = 3;
/**
 * With each measurement, the times of other numbers of tokens move by this share towards what the growth predicts: they
 * may be old.
 */
const DRIFT = 0.003;

/**
 * @param power the power with which the time grows until it is measured
 * @param others returns the times of another kind, which are used while nothing was noted
 */
export function createTokenTimes(power: number = GROWTH.line, others?: () => TokenTimes): TokenTimes {
  const times = new Map<number, number>();
  /** The keys of `times`, ascending. */
  let kinds: number[] = [];
  /** How often micro-batches of each kind were measured by themselves. */
  const counts = new Map<number, number>();

  const growth = (tokens: number) =>
    Math.min(tokens, GROWS_UP_TO) ** power * Math.max(1, tokens / GROWS_UP_TO) ** GROWTH_AFTER;

  const countOf = (kind: number) => counts.get(kind) ?? 0;
  const isTrusted = (kind: number) => countOf(kind) >= TRUSTED;
  /** Returns the time that the growth predicts from the time of a kind. */
  const grown = (from: number, tokens: number): number => (timeOf(from) * growth(tokens)) / growth(from);
  /**
   * Returns the time by the kinds that were measured often enough; infinite if there is none. For more tokens than they have, it is
   * the lower one of what the growth predicts and of the line through the two largest: a time that is assumed too low is
   * tried and measured, one that is too high never is.
   */
  const predicted = (tokens: number): number => {
    const trusted = kinds.filter(isTrusted);
    const [smaller, near] = trusted.filter((kind) => kind <= tokens).slice(-2);
    if (smaller === undefined) return trusted[0] === undefined ? Number.POSITIVE_INFINITY : grown(trusted[0], tokens);
    if (near === undefined) return grown(smaller, tokens);
    const perToken = (timeOf(near) - timeOf(smaller)) / (near - smaller);
    const byLine = perToken > 0 ? timeOf(near) + perToken * (tokens - near) : Number.POSITIVE_INFINITY;
    return Math.min(grown(near, tokens), byLine);
  };
  const timeOf = (kind: number): number => {
    const time = times.get(kind) ?? 1;
    return isTrusted(kind) ? time : Math.min(time, predicted(kind));
  };

  const approach = (tokens: number, ms: number, known = times.get(kindOf(tokens)) ?? ms) => {
    if (tokens < 1 || tokens > MOST_TOKENS || ms <= 0) return;
    const kind = kindOf(tokens);
    const time = Math.min(Math.max(ms, known * (1 - STEP)), known * (1 + STEP));
    for (const [other, old] of times) times.set(other, old + DRIFT * ((time * growth(other)) / growth(kind) - old));
    times.set(kind, time);
    if (kinds.length < times.size) kinds = [...times.keys()].sort((a, b) => a - b);
  };

  return {
    note(tokens, ms) {
      const kind = kindOf(tokens);
      const count = countOf(kind);
      // The first measurement replaces an estimate at once.
      const least = count === 0 ? ms : Math.min(ms, times.get(kind) ?? ms);
      if (count < TRUSTED) approach(tokens, least, least);
      else approach(tokens, ms);
      counts.set(kind, count + 1);
    },
    suppose: (tokens, ms) => approach(tokens, ms),
    get empty() {
      return times.size === 0;
    },
    knows: (tokens) => countOf(kindOf(tokens)) > 0,
    of(tokens) {
      const below = kinds.findLast((kind) => kind <= tokens);
      const above = kinds.find((kind) => kind >= tokens);
      if (below !== undefined && above !== undefined) {
        const share = below === above ? 0 : Math.log(tokens / below) / Math.log(above / below);
        return timeOf(below) * (timeOf(above) / timeOf(below)) ** share;
      }
      if (below !== undefined) return Math.min(grown(below, tokens), predicted(tokens));
      if (above !== undefined) return grown(above, tokens);
      return others && !others().empty ? others().of(tokens) : growth(tokens);
    },
  };
}

/** Returns the number of tokens under which a number of tokens is noted. */
function kindOf(tokens: number): number {
  return tokens <= EXACT ? tokens : Math.round(2 ** (Math.round(2 * Math.log2(tokens)) / 2));
}

/** A forward pass and its time. */
export interface TimedPass {
  /** The number of tokens, of prompts and replies together. */
  tokens: number;
  /** The number of replies with tokens in the pass. */
  replies: number;
  batches: readonly MicroBatch[];
  ms: number;
}

/** The times of micro-batches, and the size of the latest forward pass. All replies of a context share them. */
export interface PassTimes {
  /** The times of micro-batches with several sequences. */
  readonly rows: TokenTimes;
  /** The times of micro-batches with one sequence: llama.cpp computes tokens of the same sequence in another way. */
  readonly lines: TokenTimes;
  readonly latest: Pick<TimedPass, 'tokens' | 'replies'>;
  /** True if all tokens of a pass are computed at once. Both kinds of times are then the same. */
  readonly together: boolean;
  /** Returns the expected time of a micro-batch, in ms. */
  of(batch: MicroBatch): number;
  note(pass: TimedPass): void;
}

/**
 * Makes the times of one context, at first without measurements.
 *
 * @param together true if all tokens of a pass are computed at once
 */
export function createPassTimes(together = false): PassTimes {
  const lines: TokenTimes = createTokenTimes(GROWTH.line, together ? undefined : () => rows);
  const rows: TokenTimes = together ? lines : createTokenTimes(GROWTH.row, () => lines);
  let latest = { tokens: 1, replies: 1 };

  const timesFor = ({ sequences }: MicroBatch) => (sequences === 1 ? lines : rows);
  const isMeasured = (batch: MicroBatch) => timesFor(batch).knows(batch.sequences * batch.width);
  const timeOf = (batch: MicroBatch) => timesFor(batch).of(batch.sequences * batch.width);
  const noteBatch = (batch: MicroBatch, ms: number) => {
    const tokens = batch.sequences * batch.width;
    // A single token counts for both kinds.
    for (const table of new Set([rows, lines])) if (table === timesFor(batch) || tokens === 1) table.note(tokens, ms);
  };

  /**
   * Splits the time of a pass between micro-batches of different kinds. The measured ones keep their times, and the
   * others share the rest; if all are measured, all share.
   */
  const noteUnlike = (batches: readonly MicroBatch[], ms: number) => {
    const unsure = batches.some((batch) => !isMeasured(batch))
      ? batches.filter((batch) => !isMeasured(batch))
      : batches;
    const expected = unsure.map(timeOf);
    const left = ms - sum(batches.map(timeOf)) + sum(expected);
    for (const [index, batch] of unsure.entries()) {
      timesFor(batch).suppose(batch.sequences * batch.width, (left * (expected[index] ?? 0)) / sum(expected));
    }
  };

  return {
    rows,
    lines,
    together,
    get latest() {
      return latest;
    },
    of: timeOf,
    note({ tokens, replies, batches, ms }) {
      latest = { tokens, replies };
      const [first] = batches;
      if (!first) return;
      if (batches.every((batch) => isLike(batch, first))) noteBatch(first, ms / batches.length);
      else noteUnlike(batches, ms);
    },
  };
}

function isLike(one: MicroBatch, other: MicroBatch): boolean {
  return one.sequences === other.sequences && one.width === other.width;
}
