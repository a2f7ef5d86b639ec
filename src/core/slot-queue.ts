import { overloaded } from './errors.ts';

/** Hands out a fixed number of slots in the order of arrival. */
export interface SlotQueue {
  /** Slots that are taken. */
  readonly busy: number;
  /** Callers that wait for slots. */
  readonly waiting: number;
  /**
   * Waits for `count` slots and returns the function that frees them; calling it twice does no harm. Returns null if
   * the signal aborts first. Throws a 503 `ApiError` at once if the queue is full.
   */
  acquire(signal: AbortSignal, count?: number): Promise<(() => void) | null>;
}

export function createSlotQueue(slots: number, maxWaiting: number): SlotQueue {
  let busy = 0;
  const waiters = new Set<{ count: number; grant: () => void }>();

  const take = (count: number) => {
    busy += count;
    let free = () => {
      free = () => {};
      busy -= count;
      grantWaiting();
    };
    return () => free();
  };

  // Slots are granted in the order of arrival, so a caller that needs one slot never overtakes one that needs several.
  const grantWaiting = () => {
    for (const { count, grant } of waiters) {
      if (busy + count > slots) return;
      grant();
    }
  };

  return {
    get busy() {
      return busy;
    },
    get waiting() {
      return waiters.size;
    },
    async acquire(signal, count = 1) {
      if (signal.aborted) return null;
      if (waiters.size === 0 && busy + count <= slots) return take(count);
      if (waiters.size >= maxWaiting) {
        throw overloaded(`All ${slots} slots are busy and ${maxWaiting} requests wait already.`, 5);
      }
      return new Promise((resolve) => {
        const settle = (slot: (() => void) | null) => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', aborted);
          resolve(slot);
        };
        const waiter = { count, grant: () => settle(take(count)) };
        const aborted = () => {
          settle(null);
          grantWaiting();
        };
        waiters.add(waiter);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}
