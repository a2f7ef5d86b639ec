/** How long the prompts of a step may hold up as many replies as there are prompts, in ms. */
const HELD_UP_MS = 150;
/** The share of the newest measurement in an average. */
const NEWEST = 0.3;
/**
 * Fewer prompt tokens than this say little of what a token costs: the pass itself and the replies beside them cost more. Steps have as
 * many, where there are so many: else few tokens would seem dear, so that the next step had still fewer.
 */
const TELLING_TOKENS = 64;

/** What is known of the speed of steps. */
export interface Pace {
  /** The time of a step without prompts, in ms; null before there was one. */
  readonly replyMs: number | null;
  /** What a prompt token adds to a step, in ms; null before that was measured. */
  readonly promptTokenMs: number | null;
}

/** A step as it was. Counts are in tokens. */
export interface ObservedStep {
  prompts: number;
  replies: number;
  ms: number;
}

export const UNKNOWN_PACE: Pace = { replyMs: null, promptTokenMs: null };

export function afterStep(pace: Pace, { prompts, replies, ms }: ObservedStep): Pace {
  if (prompts === 0) return { ...pace, replyMs: mixed(pace.replyMs, ms) };
  if (prompts < TELLING_TOKENS) return pace;
  const ofReplies = replies === 0 ? 0 : (pace.replyMs ?? 0);
  return { ...pace, promptTokenMs: mixed(pace.promptTokenMs, Math.max(0, ms - ofReplies) / prompts) };
}

/**
 * How many prompt tokens a step may have while replies are written. A reply that is held up and a prompt that waits are worth the same:
 * where more prompts wait than replies are written, they get more.
 *
 * @param waiting the number of prompts
 * @param writing the number of replies
 */
export function promptBudget({ promptTokenMs }: Pace, waiting: number, writing: number, batchSize: number): number {
  // A quarter, as long as nothing is known.
  if (promptTokenMs === null) return Math.floor(batchSize / 4);
  const ms = HELD_UP_MS * Math.max(1, waiting / Math.max(1, writing));
  return Math.min(batchSize, Math.max(TELLING_TOKENS, Math.floor(ms / promptTokenMs)));
}

function mixed(before: number | null, newest: number): number {
  return before === null ? newest : before + NEWEST * (newest - before);
}
