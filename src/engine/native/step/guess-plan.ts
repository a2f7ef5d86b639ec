import { sum } from '../../../utils/sum.ts';
import { cutRun, type MicroBatch } from '../llama/micro-batches.ts';
import { expectedTokens } from './expected-tokens.ts';
import type { Demand, GuessOffer } from './step-plan.ts';

/** What a plan depends on. */
export interface GuessLimits {
  /** The most tokens of all replies. */
  room: number;
  /** True if the pass reads a part of a prompt. */
  readsPrompt: boolean;
  /** True if only a reply that is alone has guesses. */
  onlyAlone: boolean;
  /** True if all tokens are computed at once, however many each reply has. */
  ragged: boolean;
  /** Returns the time of a micro-batch, in ms. */
  timeOf: (batch: MicroBatch) => number;
}

/** The number of tokens that each reply has in a pass. */
export interface GuessPlan {
  /**
   * For each generation, the tokens of its reply besides those that it needs. A reply fills up with any tokens if it has not
   * so many guesses.
   */
  added: number[];
  /** The expected time of all replies, in ms. */
  ms: number;
}

/**
 * Guesses have to be faster by this factor, because the measured times are not exact. For several replies it is larger: their times
 * are known less well, and a wrong guess costs all of them.
 */
const WORTH = { alone: 1.05, several: 1.2 };

/**
 * Decides how many guessed tokens the replies of a step have evaluated; null if none. In a shared cache, each reply has as
 * many as it has guesses, up to one limit. Else all replies get equally many tokens:
 * llama.cpp computes sequences at once only if they are neighbours of one width, and else reads all weights again. So
 * replies without a guess are filled up, if the guesses of the others are worth that. While a prompt is read, only a reply that is alone
 * has guesses: those of several would make the prompt wait, and its reply is worth more to the step than they are.
 */
export function planGuesses(
  demands: readonly Pick<Demand, 'reply' | 'offer'>[],
  limits: GuessLimits,
): GuessPlan | null {
  if (limits.ragged) return planRagged(demands, limits);
  const { room, readsPrompt, onlyAlone, timeOf } = limits;
  const replies = demands.filter(({ reply }) => reply > 0);
  const rows = replies
    .flatMap(({ reply, offer }) => (offer ? { reply, ...offer } : []))
    .sort((one, other) => one.sequence - other.sequence);
  if (rows.length < replies.length || rows.every(({ tokens }) => tokens === 0)) return null;
  if ((readsPrompt || onlyAlone) && rows.length > 1) return null;

  const base = { ms: Math.min(rowsMs(rows, 1, timeOf), filledMs(rows, timeOf)), tokens: gainedBy(rows, 1) };
  const best = bestWidth(base, {
    widest: Math.max(...rows.map(({ reply, tokens }) => reply + tokens)),
    fits: (width) =>
      sum(rows.map((row) => widthOf(row, width))) <= room && rows.every(({ reply, most }) => width - reply <= most),
    msOf: (width) => rowsMs(rows, width, timeOf),
    gained: (width) => gainedBy(rows, width),
    isAlone: rows.length === 1,
  });
  if (!best) return null;
  return { added: demands.map(({ reply }) => (reply > 0 ? Math.max(0, best.width - reply) : 0)), ms: best.ms };
}

/** Decides on the guesses of a step whose tokens are all computed at once. */
function planRagged(
  demands: readonly Pick<Demand, 'reply' | 'offer'>[],
  { room, readsPrompt, onlyAlone, timeOf }: GuessLimits,
): GuessPlan | null {
  const replies = demands.filter(({ reply }) => reply > 0);
  const isAlone = replies.length === 1;
  if (!isAlone && (readsPrompt || onlyAlone)) return null;
  const addedTo = ({ reply, offer }: Pick<Demand, 'reply' | 'offer'>, width: number) =>
    offer && reply > 0 ? Math.max(0, Math.min(offer.tokens, offer.most, width - reply)) : 0;
  const tokensWith = (width: number) => sum(replies.map((one) => one.reply + addedTo(one, width)));
  const msOf = (tokens: number) => timeOf(isAlone ? { sequences: 1, width: tokens } : { sequences: tokens, width: 1 });
  const gained = (width: number) =>
    sum(replies.map((one) => one.reply - 1 + expectedTokens(one.offer?.share ?? 0, addedTo(one, width))));
  const base = { ms: msOf(tokensWith(1)), tokens: gained(1) };
  const best = bestWidth(base, {
    widest: Math.max(0, ...replies.map(({ reply, offer }) => reply + (offer?.tokens ?? 0))),
    fits: (width) => tokensWith(width) <= room,
    msOf: (width) => msOf(tokensWith(width)),
    gained,
    isAlone,
  });
  return best && { added: demands.map((one) => addedTo(one, best.width)), ms: best.ms };
}

/**
 * Returns the most tokens of a reply with which a pass brings most new tokens for its time, and that time in ms; null if
 * no guess is worth it.
 *
 * @param base the time and the new tokens of a pass without guesses
 */
function bestWidth(
  base: { ms: number; tokens: number },
  pass: {
    widest: number;
    fits: (width: number) => boolean;
    msOf: (width: number) => number;
    gained: (width: number) => number;
    isAlone: boolean;
  },
): { width: number; ms: number } | null {
  let best = { width: 1, gain: pass.isAlone ? WORTH.alone : WORTH.several, ms: 0 };
  for (let width = 2; width <= pass.widest && pass.fits(width); width++) {
    const ms = pass.msOf(width);
    const gain = pass.gained(width) / base.tokens / Math.max(1, ms / base.ms);
    if (gain > best.gain) best = { width, gain, ms };
  }
  return best.width > 1 ? best : null;
}

/** A reply that may have more tokens than the `reply` that it needs. */
interface Row extends GuessOffer {
  reply: number;
}

function widthOf({ reply }: Row, width: number): number {
  return Math.max(reply, width);
}

/** Returns the expected number of new tokens in a pass in which all have at least `width` tokens. */
function gainedBy(rows: readonly Row[], width: number): number {
  const gained = ({ reply, tokens, share }: Row) =>
    reply - 1 + expectedTokens(share, Math.min(tokens, Math.max(0, width - reply)));
  return sum(rows.map(gained));
}

/** Returns the time of rows with ascending sequences, of which neighbours share micro-batches. */
function rowsMs(rows: readonly Row[], width: number, timeOf: GuessLimits['timeOf']): number {
  let ms = 0;
  for (let from = 0, to = 1; to <= rows.length; to++) {
    if (rows[to]?.sequence === (rows[to - 1]?.sequence ?? 0) + 1) continue;
    ms += sum(cutRun(rows.slice(from, to).map((row) => widthOf(row, width))).map(timeOf));
    from = to;
  }
  return ms;
}

/** Returns the time of one token each, if other sequences fill the gaps; infinite if a reply needs more tokens. */
function filledMs(rows: readonly Row[], timeOf: GuessLimits['timeOf']): number {
  if (rows.some(({ reply }) => reply > 1)) return Number.POSITIVE_INFINITY;
  return timeOf({ sequences: (rows.at(-1)?.sequence ?? 0) - (rows[0]?.sequence ?? 0) + 1, width: 1 });
}
