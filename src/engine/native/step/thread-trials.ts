import { threadLevels } from './thread-count.ts';

/** A number of threads is better than another where a token takes less than this part of the time. */
const WORTH = 0.95;
/** Texts in a row that take so many times as long as those before say that other programs want the cores. */
const SLOWER = 2;
const SLOW_TEXTS = 2;
/** Until the next trial, in ms: after a good one, and at most after ones that were for nothing, each twice as long as the one before. */
const REST_MS = { first: 500, most: 4000 };
/** The share of the newest text in an average. */
const NEWEST = 0.3;

/**
 * The number of threads for texts of about one length, as it is tried out. A pass for a short text leaves cores idle by itself, so
 * CPU time does not say whether other programs took them. Only the time that it takes does.
 */
export interface ThreadTrials {
  /** The numbers to choose from, the largest first. */
  readonly levels: readonly number[];
  /** Of those, the one that is the best so far, and the one that the next text is computed with. */
  readonly best: number;
  readonly next: number;
  /** The time of a token with the best one, in ms; null before the first text. */
  readonly tokenMs: number | null;
  /** How many texts in a row were slow. */
  readonly slow: number;
  /** When the next trial is due, and how long that is after one for nothing, in ms. */
  readonly dueAt: number;
  readonly restMs: number;
  /** Whether that one is with fewer threads, or with more. */
  readonly tries: 'fewer' | 'more';
}

export function startTrials(most: number, now: number): ThreadTrials {
  const restMs = REST_MS.first;
  return {
    levels: threadLevels(most),
    best: 0,
    next: 0,
    tokenMs: null,
    slow: 0,
    dueAt: now + restMs,
    restMs,
    tries: 'fewer',
  };
}

/** The threads for the next text. */
export function threadsOf({ levels, next }: ThreadTrials): number {
  return levels[next] ?? 1;
}

/** Takes in that a text took so long for each of its tokens, in ms. */
export function afterText(trials: ThreadTrials, tokenMs: number, now: number): ThreadTrials {
  return trials.next === trials.best ? afterUsual(trials, tokenMs, now) : afterTrial(trials, tokenMs, now);
}

function afterUsual(trials: ThreadTrials, tokenMs: number, now: number): ThreadTrials {
  const before = trials.tokenMs ?? tokenMs;
  const slow = tokenMs > SLOWER * before ? trials.slow + 1 : 0;
  // What the next trial is compared with is the present.
  if (slow >= SLOW_TEXTS) return beginTrial({ ...trials, tokenMs, slow: 0, tries: 'fewer' });
  const known = { ...trials, slow, tokenMs: slow > 0 ? before : before + NEWEST * (tokenMs - before) };
  return now >= trials.dueAt ? beginTrial(known) : known;
}

function beginTrial(trials: ThreadTrials): ThreadTrials {
  const { levels, best, tries } = trials;
  const [wanted, other] = tries === 'fewer' ? [best + 1, best - 1] : [best - 1, best + 1];
  const next = [wanted, other].find((level) => level in levels) ?? best;
  return { ...trials, next, tries: next > best ? 'fewer' : 'more' };
}

function afterTrial(trials: ThreadTrials, tokenMs: number, now: number): ThreadTrials {
  const { next, best, tries } = trials;
  if (tokenMs < WORTH * (trials.tokenMs ?? tokenMs)) {
    return { ...trials, best: next, tokenMs, restMs: REST_MS.first, dueAt: now + REST_MS.first };
  }
  const restMs = Math.min(REST_MS.most, 2 * trials.restMs);
  return { ...trials, next: best, restMs, dueAt: now + restMs, tries: tries === 'fewer' ? 'more' : 'fewer' };
}
