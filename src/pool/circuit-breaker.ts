import { ApiError } from '../contract/errors.ts';

/** So many deaths within `WINDOW_MS`, and no generation that ended well between them, open the breaker. */
const MOST_DEATHS = 5;
const WINDOW_MS = 60_000;
/** How long it stays open, in ms. Then one more engine is tried. */
const OPEN_MS = 30_000;

/** Keeps an engine that dies again and again from being started again and again. */
export interface Breaker {
  noteDeath(): void;
  /** A generation has ended well: the deaths before it do not count any more. */
  noteSuccess(): void;
  /** Throws a 503 `ApiError` with the reason while the breaker is open. */
  check(): void;
}

/** @param now a clock in ms that never goes back */
export function createBreaker(now: () => number): Breaker {
  let deaths: number[] = [];
  let openUntil = Number.NEGATIVE_INFINITY;

  return {
    noteDeath() {
      deaths = [...deaths.filter((at) => at > now() - WINDOW_MS), now()];
      if (deaths.length < MOST_DEATHS) return;
      openUntil = now() + OPEN_MS;
      // One more death after the pause opens it again at once.
      deaths = deaths.slice(1);
    },
    noteSuccess() {
      deaths = [];
    },
    check() {
      const left = Math.ceil((openUntil - now()) / 1000);
      if (left > 0) throw engineUnavailable(left);
    },
  };
}

function engineUnavailable(retryAfterSeconds: number): ApiError {
  return new ApiError({
    status: 503,
    type: 'server_error',
    code: 'engine_unavailable',
    param: null,
    message: `The engine of this model died ${MOST_DEATHS} times within a minute. It is started again in ${retryAfterSeconds} seconds.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
