/**
 * A queue between a producer that pushes values and one reader that iterates them once. It keeps the values that are pushed before
 * the reader asks for them. `onReturn` is called when the reader ends the iteration, also while it waits for a value.
 */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** Ends the iteration after the values pushed so far. */
  end(): void;
  /** Makes the iteration throw after the values pushed so far. */
  fail(error: unknown): void;
}

/** Makes an empty queue. It has no limit: the producer may be faster than the reader. */
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

  // This is not an async generator, because the `return` of one would wait for a `next` that may never settle.
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
