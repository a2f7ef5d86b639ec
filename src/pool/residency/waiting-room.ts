import { overloaded } from '../../contract/errors.ts';

/** A place where requests wait for one event that lets all of them in or turns all of them away. */
export interface WaitingRoom<T> {
  readonly waiting: number;
  /** The arrival of the first waiting request on the clock `now`; infinite if none waits. */
  readonly since: number;
  /**
   * Waits to be let in or turned away. Returns null if the signal aborts first; it must not be aborted at the call.
   * Throws a 503 `ApiError` at once if the room is full.
   */
  wait(signal: AbortSignal): Promise<T | null>;
  /** Lets all waiting requests in. `give` is called for each of them. */
  open(give: () => T): void;
  /** Turns all waiting requests away with this error. */
  fail(error: unknown): void;
}

/**
 * Makes a room for `maxWaiting` requests. `onGone` is called for each request that leaves because its signal aborts.
 */
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
