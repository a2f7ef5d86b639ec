/**
 * Ends the work of one request. Its signal is made at the first call of `signal`: most requests are answered at once without one, and
 * making a signal takes longer than such an answer.
 */
export interface Ending {
  signal(): AbortSignal;
  /** Aborts the signal, even if the signal is made later. Only the first reason counts. */
  abort(reason?: unknown): void;
}

/** Makes the ending of one request. */
export function createEnding(): Ending {
  let controller: AbortController | undefined;
  let over: { reason: unknown } | undefined;
  return {
    signal() {
      controller ??= new AbortController();
      if (over) controller.abort(over.reason);
      return controller.signal;
    },
    abort(reason) {
      over ??= { reason };
      controller?.abort(over.reason);
    },
  };
}
