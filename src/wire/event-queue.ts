/**
 * Passes values from a producer that pushes them to one reader that iterates them once. It keeps values that are pushed
 * before anyone reads. When the reader ends the iteration, even while it waits for a value, `onReturn` is called.
 */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** Ends the iteration after the values that are already pushed. */
  end(): void;
  /** Makes the iteration throw after the values that are already pushed. */
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
