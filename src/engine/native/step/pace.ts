import { TILE } from '../llama/micro-batches.ts';

/**
 * How long the prompts of a step may hold up as many replies as there are prompts, in ms. Shorter parts of prompts would not only come
 * later themselves: between two of them, a pass for a few replies takes nearly as long as one for many.
 */
const HELD_UP_MS = 250;
/**
 * The prompts of a step may also take so many times as long as its replies. A pass for 16 replies takes 100 ms on two cores: between
 * parts of 250 ms it would take a third of the time.
 */
const TIMES_REPLIES = 5;
/** The share of the newest measurement in an average. */
const NEWEST = 0.3;

/**
 * Returns what a prompt token adds to a step, in ms, after a step whose prompts took so long; null before that was measured. Less than a
 * tile says little of it: the pass itself and the replies beside it cost more.
 *
 * @param before what it was before that step
 * @param prompts the number of prompt tokens in the step
 */
export function promptTokenTime(before: number | null, prompts: number, ms: number): number | null {
  if (prompts < TILE) return before;
  const newest = Math.max(0, ms) / prompts;
  return before === null ? newest : before + NEWEST * (newest - before);
}

/** What wants a share of a step. */
export interface Pressure {
  /** What a prompt token adds to a step, in ms; null before that was measured. */
  tokenMs: number | null;
  /** What the replies of the step take, in ms. */
  repliesMs: number;
  /** The number of prompts. */
  waiting: number;
  /** The number of replies. */
  writing: number;
}

/**
 * How many prompt tokens a step may have while replies are written. A reply that is held up and a prompt that waits are worth the same:
 * where more prompts wait than replies are written, they get more. It is in whole tiles, and at least one: prompts are cut at those.
 */
export function promptBudget({ tokenMs, repliesMs, waiting, writing }: Pressure, batchSize: number): number {
  // A quarter, as long as nothing is known.
  if (tokenMs === null) return Math.floor(batchSize / 4);
  const heldUpMs = Math.max(HELD_UP_MS, TIMES_REPLIES * repliesMs);
  const ms = heldUpMs * Math.max(1, waiting / Math.max(1, writing));
  return Math.min(batchSize, Math.max(1, Math.round(ms / tokenMs / TILE)) * TILE);
}
