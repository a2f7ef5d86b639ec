import { ApiError } from '../contract/errors.ts';

/** This many crashes within `WINDOW_MS`, without a completed generation between them, open the breaker. */
const MOST_DEATHS = 5;
const WINDOW_MS = 60_000;
/** How long the breaker stays open, in ms. Then one more engine is started. */
const OPEN_MS = 30_000;

/** Delays the start of an engine that has crashed several times in a row. */
export interface CircuitBreaker {
  /** Counts a crash. */
  noteDeath(): void;
  /** Resets the count of crashes after a completed generation. */
  noteSuccess(): void;
  /** Throws a 503 `ApiError` with the reason while the breaker is open. */
  check(): void;
}

/**
 * Makes a breaker for one model.
 *
 * @param now a clock in ms that never goes back
 */
export function createCircuitBreaker(now: () => number): CircuitBreaker {
  let deaths: number[] = [];
  let openUntil = Number.NEGATIVE_INFINITY;

  return {
    noteDeath() {
      deaths = [...deaths.filter((at) => at > now() - WINDOW_MS), now()];
      if (deaths.length < MOST_DEATHS) return;
      openUntil = now() + OPEN_MS;
      // After the pause, a single crash opens the breaker again.
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
