import { sum } from '../../../utils/sum.ts';
import type { MicroBatch } from '../llama/micro-batches.ts';

/**
 * The time of a micro-batch by the number of its tokens. It is measured all the time, since other programs and the number of threads
 * change it.
 */
export interface TokenTimes {
  note(tokens: number, ms: number): void;
  /** Notes a time that was not measured by itself. */
  suppose(tokens: number, ms: number): void;
  /** True if so many tokens were measured by themselves. */
  knows(tokens: number): boolean;
  /** True if nothing was measured. */
  readonly empty: boolean;
  /** Returns the time for so many tokens, in ms; until one is measured, as a multiple of the time for one. */
  of(tokens: number): number;
}

/**
 * Until it is measured, the time grows with a power of the tokens up to this number, and then as they do. Those of one sequence are taken
 * to be cheap, 2.3 times for 16, so that guesses are tried; those of several dear, 5 times for 16, so that more is known of them
 * before they are cut out of prompts.
 */
const GROWS_UP_TO = 16;
const GROWTH = { line: 0.3, row: 0.6 };
/** Up to this number of tokens all are told apart: with some kernels 8 take half as long as 7. */
const EXACT = 16;
/** Numbers of tokens up to this are told apart in steps of a half power of two. */
const MOST_TOKENS = 512;
/** A time that is off moves what is known by this share at most: one slow pass says little. */
const STEP = 0.1;
/** What is known of other numbers of tokens moves by this share to what the growth makes of it: it may be old, or was slow by chance. */
const DRIFT = 0.003;

/**
 * @param power with which power of the tokens the time grows until it is measured
 * @param others returns the times of another kind, which are taken as long as nothing was measured
 */
export function createTokenTimes(power: number = GROWTH.line, others?: () => TokenTimes): TokenTimes {
  const times = new Map<number, number>();
  /** The keys of `times`, ascending. */
  let kinds: number[] = [];
  const measured = new Set<number>();

  const growth = (tokens: number) => Math.min(tokens, GROWS_UP_TO) ** power * Math.max(1, tokens / GROWS_UP_TO);

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
      // What was only supposed is given up.
      approach(tokens, ms, measured.has(kind) ? times.get(kind) : ms);
      measured.add(kind);
    },
    suppose: (tokens, ms) => approach(tokens, ms),
    get empty() {
      return times.size === 0;
    },
    knows: (tokens) => measured.has(kindOf(tokens)),
    of(tokens) {
      const below = kinds.findLast((kind) => kind <= tokens);
      const above = kinds.find((kind) => kind >= tokens);
      const near = below ?? above;
      if (near === undefined) return others && !others().empty ? others().of(tokens) : growth(tokens);
      const known = times.get(near) ?? 1;
      const far = below === undefined || above === undefined || below === above ? undefined : above;
      if (far === undefined) return (known * growth(tokens)) / growth(near);
      const share = Math.log(tokens / near) / Math.log(far / near);
      return known * ((times.get(far) ?? 1) / known) ** share;
    },
  };
}

/** Tokens of micro-batches that take about as long. */
function kindOf(tokens: number): number {
  return tokens <= EXACT ? tokens : Math.round(2 ** (Math.round(2 * Math.log2(tokens)) / 2));
}

/** A forward pass as it was. */
export interface TimedPass {
  /** The tokens of prompts and replies. */
  tokens: number;
  /** The number of replies that were written in it. */
  replies: number;
  batches: readonly MicroBatch[];
  ms: number;
}

/** What the latest forward pass had, and how long micro-batches take. All replies of a context share it. */
export interface PassTimes {
  /** The times of micro-batches with several sequences. */
  readonly rows: TokenTimes;
  /** The times of those with one: tokens that see one another are computed in another way. */
  readonly lines: TokenTimes;
  readonly latest: Pick<TimedPass, 'tokens' | 'replies'>;
  /** Returns the time of a micro-batch. */
  of(batch: MicroBatch): number;
  note(pass: TimedPass): void;
}

export function createPassTimes(): PassTimes {
  const rows: TokenTimes = createTokenTimes(GROWTH.row, () => lines);
  const lines = createTokenTimes(GROWTH.line, () => rows);
  let latest = { tokens: 1, replies: 1 };

  const timesFor = ({ sequences }: MicroBatch) => (sequences === 1 ? lines : rows);
  const isMeasured = (batch: MicroBatch) => timesFor(batch).knows(batch.sequences * batch.width);
  const timeOf = (batch: MicroBatch) => timesFor(batch).of(batch.sequences * batch.width);
  const noteBatch = (batch: MicroBatch, ms: number) => {
    const tokens = batch.sequences * batch.width;
    // A single token is of both kinds.
    for (const table of [rows, lines]) if (table === timesFor(batch) || tokens === 1) table.note(tokens, ms);
  };

  /** Nobody can tell how unlike micro-batches shared a time: those that were not measured by themselves are taken to be off, else all. */
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
