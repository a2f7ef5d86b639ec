import { TILE } from '../llama/micro-batches.ts';

/** How the prompts and the replies of a step share its time. */
export interface Pace {
  /** The most time that the prompts of a step may take, in ms, if there are no more prompts than replies. The replies wait for so long. */
  heldUpMs: number;
  /** If the replies are slow, the prompts of a step may take this many times as long as its replies. */
  timesReplies: number;
  /** If more prompts than replies share a step, these times grow in that ratio, at most by this factor. */
  mostFavour: number;
}

/**
 * The pace where each sequence has a cache of its own. Every step also computes the replies, as a micro-batch that takes
 * nearly as long for a few as for many, so a shorter time would slow prefill down. On two cores, a pass for 16 replies
 * takes 100 ms: with only 250 ms for the prompts, the replies would take a third of the time.
 */
export const APART: Pace = { heldUpMs: 250, timesReplies: 5, mostFavour: Number.POSITIVE_INFINITY };

/**
 * The pace where all sequences share one cache. The tokens of replies and prompts are computed together, so a prompt that
 * is cut into twice as many parts takes hardly longer, and replies wait half as long. Parts of less than a tile would take
 * a tenth more time. Where most clients wait for their first token, replies wait twice as long at most: in the benchmark `mixed`, the
 * 99th percentile between tokens was 511 ms in place of 947 without that limit, and the first token came 2% later.
 */
export const TOGETHER: Pace = { heldUpMs: 125, timesReplies: 2.5, mostFavour: 2 };

/** The share of the newest measurement in an average. */
const NEWEST = 0.3;

/**
 * Returns the new average time of one prompt token, in ms, after a step; null before it was measured. A step with fewer
 * prompt tokens than a tile is ignored: most of its time is spent on other work.
 *
 * @param before the average before the step
 * @param prompts the number of prompt tokens in the step
 * @param ms the time that the step spent on them
 */
export function promptTokenTime(before: number | null, prompts: number, ms: number): number | null {
  if (prompts < TILE) return before;
  const newest = Math.max(0, ms) / prompts;
  return before === null ? newest : before + NEWEST * (newest - before);
}

/** The prompts and replies that share a step. */
export interface Pressure {
  /** The time of one prompt token, in ms; null before that was measured. */
  tokenMs: number | null;
  /** The time of all replies in the step, in ms. */
  repliesMs: number;
  /** The number of prompts that are not evaluated to their end. */
  waiting: number;
  /** The number of replies that are being generated. */
  writing: number;
}

/**
 * Returns the most prompt tokens of a step while replies are generated: a whole number of tiles, at least one. A
 * waiting prompt counts as much as a waiting reply, so if there are more prompts than replies, the prompts get more
 * time, up to a limit of the pace.
 */
export function promptBudget(
  { tokenMs, repliesMs, waiting, writing }: Pressure,
  batchSize: number,
  { heldUpMs, timesReplies, mostFavour }: Pace = APART,
): number {
  // Before the first measurement, a quarter of the batch.
  if (tokenMs === null) return Math.floor(batchSize / 4);
  const favour = Math.min(mostFavour, Math.max(1, waiting / Math.max(1, writing)));
  const ms = favour * Math.max(heldUpMs, timesReplies * repliesMs);
  return Math.min(batchSize, Math.max(1, Math.round(ms / tokenMs / TILE)) * TILE);
}
