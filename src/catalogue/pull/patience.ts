import { downloadFailed } from './errors.ts';
import type { Fetch } from './remote.ts';

/** The time limits of a pull, all in ms. */
export interface Patience {
  /** The longest silence of a connection. */
  stallMs: number;
  /** The delay before the second attempt. It doubles with each further attempt, up to `longestDelayMs`. */
  firstDelayMs: number;
  longestDelayMs: number;
  /** The total time for attempts to look up a source. */
  resolvingMs: number;
  /** The total time for a download that makes no progress. It is long, since routers restart at night. */
  downloadingMs: number;
}

export const PATIENCE: Patience = {
  stallMs: 30_000,
  firstDelayMs: 1_000,
  longestDelayMs: 60_000,
  resolvingMs: 30_000,
  downloadingMs: 2 * 60 * 60_000,
};

/** A failure that another attempt may avoid. Its message completes the sentence "<the host> ...". */
export class TemporaryFailure extends Error {
  /** The delay that the host asked for, in ms. */
  readonly retryAfterMs: number;
  /** The most further attempts in a row after this failure. */
  readonly retries: number;
  /** True if no host answered at all. */
  readonly unreachable: boolean;

  constructor(message: string, { retryAfterMs = 0, retries = Number.POSITIVE_INFINITY, unreachable = false } = {}) {
    super(message);
    this.unreachable = unreachable;
    this.retryAfterMs = retryAfterMs;
    this.retries = retries;
  }
}

export interface PersistOptions {
  patience: Patience;
  /** The longest time to continue without progress, in ms. */
  limitMs: number;
  signal: AbortSignal;
  fetch: Fetch;
  /** Called before each wait. */
  onWait: (reason: string) => void;
  /** True if the attempt only looks something up, and stores no bytes that a later pull could continue. */
  asks?: boolean;
}

/**
 * Repeats `attempt` until it succeeds. The delay grows after each temporary failure. `progressed` resets the delay, the
 * count of failures and the time limit.
 *
 * @throws ApiError with the last failure once the time or the attempts are used up. Any other error of an attempt is
 * thrown at once
 */
export async function persist<T>(
  attempt: (progressed: () => void) => Promise<T>,
  { patience, limitMs, signal, onWait, asks = false }: PersistOptions,
): Promise<T> {
  let failures = 0;
  let failingSince = 0;
  const progressed = () => {
    failures = 0;
  };
  while (true) {
    try {
      return await attempt(progressed);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TemporaryFailure)) throw error;
      if (failures === 0) failingSince = Date.now();
      const delay = Math.max(
        error.retryAfterMs,
        Math.min(patience.firstDelayMs * 2 ** failures, patience.longestDelayMs),
      );
      const tooLong = Date.now() - failingSince + delay > limitMs;
      if (tooLong || failures >= error.retries)
        throw downloadFailed(`${error.message}. ${lastWord(error, failures, asks)}`);
      failures += 1;
      onWait(`${error.message}; next attempt in ${Math.ceil(delay / 1000)} s`);
      await sleep(delay, signal);
    }
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

function lastWord({ retryAfterMs, unreachable }: TemporaryFailure, failures: number, asks: boolean): string {
  if (retryAfterMs > 0) return `It asks to come back in ${Math.ceil(retryAfterMs / 1000)} s.`;
  const attempt = `That was attempt ${failures + 1}`;
  const end = asks ? `${attempt}.` : `${attempt}; what has been fetched is kept for the next pull.`;
  return unreachable ? `${end} Models that are here already work without a network.` : end;
}
