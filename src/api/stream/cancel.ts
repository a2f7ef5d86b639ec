import { ApiError } from '../../contract/errors.ts';

/** Makes a controller that aborts when `signal` does, for the same reason. It can also be aborted alone. */
export function cancelWith(signal: AbortSignal): AbortController {
  const cancel = new AbortController();
  signal.addEventListener('abort', () => cancel.abort(signal.reason), { once: true });
  if (signal.aborted) cancel.abort(signal.reason);
  return cancel;
}

/**
 * Returns the error for the client, if the server aborted its request; null if the client left, or if nothing was
 * aborted.
 */
export function reasonForClient({ reason }: AbortSignal): ApiError | null {
  return reason instanceof ApiError ? reason : null;
}

/** True if the client has disconnected: the signal is aborted without an error for the client. */
export function hasLeft(signal: AbortSignal): boolean {
  return signal.aborted && !reasonForClient(signal);
}

/**
 * Returns the same promise, but rejected at once when `signal` aborts with an error for the client. The work itself may
 * continue.
 */
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
