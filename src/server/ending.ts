/**
 * What ends the work of one request. Most requests are answered at once and nobody asks for their signal, so it is made only when
 * somebody does: a signal costs more than such an answer.
 */
export interface Ending {
  signal(): AbortSignal;
  /** Aborts the signal, also one that is asked for later. Only the first reason counts. */
  abort(reason?: unknown): void;
}

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
