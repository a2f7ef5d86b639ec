import { overloaded } from './errors.ts';

/** Hands out a fixed number of slots, first come, first served. */
export interface SlotQueue {
  /** Slots that are taken. */
  readonly busy: number;
  /** Callers that wait for one. */
  readonly waiting: number;
  /**
   * Waits for a slot and gives the function that frees it; calling that twice does no harm. Gives null when aborted
   * before. Throws a 503 `ApiError` at once when as many callers wait as may.
   */
  acquire(signal: AbortSignal): Promise<(() => void) | null>;
}

export function createSlotQueue(slots: number, maxWaiting: number): SlotQueue {
  let busy = 0;
  const waiters = new Set<() => void>();

  const take = () => {
    busy += 1;
    let free = () => {
      busy -= 1;
      const [next] = waiters;
      next?.();
      free = () => {};
    };
    return () => free();
  };

  return {
    get busy() {
      return busy;
    },
    get waiting() {
      return waiters.size;
    },
    async acquire(signal) {
      if (signal.aborted) return null;
      if (busy < slots) return take();
      if (waiters.size >= maxWaiting) {
        throw overloaded(`All ${slots} slots are busy and ${maxWaiting} requests wait already.`, 5);
      }
      return new Promise((resolve) => {
        const settle = (slot: (() => void) | null) => {
          waiters.delete(granted);
          signal.removeEventListener('abort', aborted);
          resolve(slot);
        };
        const granted = () => settle(take());
        const aborted = () => settle(null);
        waiters.add(granted);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}
