/** Makes a controller that aborts when `signal` does. It can also be aborted alone. */
export function cancelWith(signal: AbortSignal): AbortController {
  const cancel = new AbortController();
  signal.addEventListener('abort', () => cancel.abort(), { once: true });
  if (signal.aborted) cancel.abort();
  return cancel;
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
