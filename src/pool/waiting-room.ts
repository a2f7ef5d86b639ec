import { overloaded } from '../core/errors.ts';

/** Where requests wait for one event that lets all of them in, or turns all of them away. */
export interface WaitingRoom<T> {
  readonly waiting: number;
  /** When the first of those who wait came, on the clock `now`; infinite when nobody waits. */
  readonly since: number;
  /**
   * Waits to be let in or turned away. The signal must not be aborted yet; gives null when it is aborted before. Throws a
   * 503 `ApiError` at once when the room is full.
   */
  wait(signal: AbortSignal): Promise<T | null>;
  /** Lets everybody in who waits; `give` is called for each of them. */
  open(give: () => T): void;
  /** Turns everybody away who waits. */
  fail(error: unknown): void;
}

/** A room for `maxWaiting` requests. `onGone` is called for each that waited and left. */
export function createWaitingRoom<T>(maxWaiting: number, now: () => number, onGone: () => void): WaitingRoom<T> {
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
