import { ApiError } from '../../contract/errors.ts';

/** Makes a controller that aborts when `signal` does, for the same reason. It can also be aborted alone. */
export function cancelWith(signal: AbortSignal): AbortController {
  const cancel = new AbortController();
  signal.addEventListener('abort', () => cancel.abort(signal.reason), { once: true });
  if (signal.aborted) cancel.abort(signal.reason);
  return cancel;
}

/** What a client is to be told that waits for work which was aborted; null if nobody waits, or if nothing was aborted. */
export function reasonForClient({ reason }: AbortSignal): ApiError | null {
  return reason instanceof ApiError ? reason : null;
}

/** Says whether the client has left: its work was aborted, and nobody waits to be told why. */
export function hasLeft(signal: AbortSignal): boolean {
  return signal.aborted && !reasonForClient(signal);
}

/** The same promise, but rejected at once when `signal` aborts with something to tell the client. The work itself may go on. */
export function unlessEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      const reason = reasonForClient(signal);
      if (reason) reject(reason);
    };
    signal.addEventListener('abort', end, { once: true });
    end();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/**
 * Returns the same stream. When the reader stops, it aborts `cancel` at once, even while the stream waits for its next
 * event.
 */
export function cancelOnReturn(stream: AsyncGenerator<string>, cancel: AbortController): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => stream.next(),
      return: () => {
        cancel.abort();
        return stream.return(undefined);
      },
    }),
  };
}
