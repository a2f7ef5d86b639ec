import { overloaded } from '../core/errors.ts';

/** Where requests wait for something that all of them get at once, or none. */
export interface Door<T> {
  readonly waiting: number;
  /** When the first of those who wait came, as `now` had it; infinite when nobody waits. */
  readonly since: number;
  /**
   * Waits for the door to open or fail; the signal is not aborted yet. Gives null when it is before. Throws a 503
   * `ApiError` at once when as many wait as may.
   */
  wait(signal: AbortSignal): Promise<T | null>;
  /** Lets everybody in who waits, each with a thing of their own. */
  open(give: () => T): void;
  /** Turns everybody away who waits. */
  fail(error: unknown): void;
}

/** `onGone` hears of each who waited and left. */
export function createDoor<T>(maxWaiting: number, now: () => number, onGone: () => void): Door<T> {
  interface Waiter {
    since: number;
    settle: (outcome: () => T | null) => void;
  }
  const waiters = new Set<Waiter>();
  const settleAll = (outcome: () => T | null) => {
    for (const { settle } of waiters) settle(outcome);
  };

  return {
    get waiting() {
      return waiters.size;
    },
    get since() {
      for (const { since } of waiters) return since;
      return Number.POSITIVE_INFINITY;
    },
    async wait(signal) {
      if (waiters.size >= maxWaiting) throw overloaded(`${maxWaiting} requests wait for the model to load already.`, 5);
      return new Promise((resolve, reject) => {
        const settle = (outcome: () => T | null) => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', gone);
          try {
            resolve(outcome());
          } catch (error) {
            reject(error);
          }
        };
        const gone = () => {
          settle(() => null);
          onGone();
        };
        const waiter = { since: now(), settle };
        waiters.add(waiter);
        signal.addEventListener('abort', gone, { once: true });
      });
    },
    open: (give) => settleAll(give),
    fail: (error) =>
      settleAll(() => {
        throw error;
      }),
  };
}
