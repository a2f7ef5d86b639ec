/** A controller that aborts with `signal`, and can be aborted without it. */
export function cancelWith(signal: AbortSignal): AbortController {
  const cancel = new AbortController();
  signal.addEventListener('abort', () => cancel.abort(), { once: true });
  if (signal.aborted) cancel.abort();
  return cancel;
}

/** The same stream; whoever stops reading cancels the generation at once, also while it waits for its next event. */
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
