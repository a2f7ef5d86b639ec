/**
 * Values pushed on one side and iterated on the other, once and by one reader. What is pushed before anyone asks is kept.
 * Ending the iteration, even while it waits for a value, calls `onReturn`.
 */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** No more values; those already pushed are still delivered. */
  end(): void;
  /** No more values; the iteration throws after those already pushed. */
  fail(error: unknown): void;
}

export function createEventQueue<T>(onReturn: () => void = () => {}): EventQueue<T> {
  const values: T[] = [];
  let closed: { error?: unknown } | undefined;
  let wake: (() => void) | undefined;

  const close = (outcome: { error?: unknown }) => {
    closed ??= outcome;
    wake?.();
  };

  const next = async (): Promise<IteratorResult<T, undefined>> => {
    if (values.length === 0 && !closed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (values.length > 0) return { value: values.shift() as T, done: false };
    const failure = closed;
    closed = {};
    if (failure && 'error' in failure) throw failure.error;
    return { value: undefined, done: true };
  };

  // Not an async generator: its `return` would wait for a `next` that may never come.
  const finish = async (): Promise<IteratorResult<T, undefined>> => {
    values.length = 0;
    close({});
    onReturn();
    return { value: undefined, done: true };
  };

  return {
    push(value) {
      if (closed) return;
      values.push(value);
      wake?.();
    },
    end: () => close({}),
    fail: (error) => close({ error }),
    [Symbol.asyncIterator]: () => ({ next, return: finish }),
  };
}
