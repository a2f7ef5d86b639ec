import { threadLevels } from './thread-count.ts';

/** Another number of threads is better if a token takes less than this share of the time. */
const WORTH = 0.95;
/** `SLOW_TEXTS` texts in a row that take `SLOWER` times as long as before mean that other programs use the cores. */
const SLOWER = 2;
const SLOW_TEXTS = 2;
/**
 * The time until the next trial, in ms: `first` after a trial that was faster. It doubles after each other trial, up to
 * `most`.
 */
const REST_MS = { first: 500, most: 4000 };
/** The share of the newest text in an average. */
const NEWEST = 0.3;

/**
 * The state of trying out numbers of threads for texts of about one length. The governor's method does not work here: a
 * pass for a short text does not use its cores fully even on an idle machine, so its CPU time does not show that other
 * programs use them.
 */
export interface ThreadTrials {
  /** The numbers to choose from, the largest first. */
  readonly levels: readonly number[];
  /** The index in `levels` of the best number so far. */
  readonly best: number;
  /** The index in `levels` of the number for the next text. */
  readonly next: number;
  /** The average time of a token with the best number, in ms; null before the first text. */
  readonly tokenMs: number | null;
  /** The number of slow texts in a row. */
  readonly slow: number;
  /** When the next trial is due, in ms. */
  readonly dueAt: number;
  /** The time between the latest trial and the next one, in ms. */
  readonly restMs: number;
  /** The direction of the next trial, seen from the best number. */
  readonly tries: 'fewer' | 'more';
}

/** Returns the state at the beginning, with `most` threads. */
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

/** Returns the number of threads for the next text. */
export function threadsOf({ levels, next }: ThreadTrials): number {
  return levels[next] ?? 1;
}

/** Returns the state after a text whose tokens took `tokenMs` each. */
export function afterText(trials: ThreadTrials, tokenMs: number, now: number): ThreadTrials {
  return trials.next === trials.best ? afterUsual(trials, tokenMs, now) : afterTrial(trials, tokenMs, now);
}

function afterUsual(trials: ThreadTrials, tokenMs: number, now: number): ThreadTrials {
  const before = trials.tokenMs ?? tokenMs;
  const slow = tokenMs > SLOWER * before ? trials.slow + 1 : 0;
  // The next trial is compared with the slow present, not with the average.
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
