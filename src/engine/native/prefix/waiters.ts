/** The requests that wait until a slot has evaluated the tokens that they share with it. */
export interface Waiters {
  /** Resolves when the slot holds `length` tokens, when the slot is freed, or when the signal aborts. Never rejects. */
  reached(length: number, signal: AbortSignal): Promise<void>;
  /** Wakes the requests that wait for at most `length` tokens. An infinite length wakes all. */
  wake(length: number): void;
}

/** Makes the waiters of one slot. */
export function createWaiters(): Waiters {
  const waiting = new Set<{ length: number; wake: () => void }>();
  return {
    reached: (length, signal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(waiter);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const waiter = { length, wake };
        waiting.add(waiter);
        signal.addEventListener('abort', wake);
      }),
    wake(length) {
      for (const waiter of [...waiting]) if (waiter.length <= length) waiter.wake();
    },
  };
}
