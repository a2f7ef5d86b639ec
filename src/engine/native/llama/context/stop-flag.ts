/** A byte that llama.cpp reads while it computes a forward pass: 1 ends the pass. */
export interface StopFlag {
  /** The first of them is the flag. llama.cpp has its address, so they have to be kept as long as the context. */
  readonly bytes: Uint8Array;
  /** Sets the flag if the signal is aborted, else clears it. With `follows`, a later abort sets it too, until `leave`. */
  watch(signal: AbortSignal | undefined, follows: boolean): void;
  /** Ends what `watch` began. The flag stays as it is. */
  leave(signal: AbortSignal | undefined): void;
}

export function createStopFlag(): StopFlag {
  // Short typed arrays may be moved in memory, so it is longer than it needs to be.
  const bytes = new Uint8Array(128);
  const set = () => {
    bytes[0] = 1;
  };
  return {
    bytes,
    watch(signal, follows) {
      bytes[0] = signal?.aborted ? 1 : 0;
      if (follows) signal?.addEventListener('abort', set);
    },
    leave(signal) {
      signal?.removeEventListener('abort', set);
    },
  };
}
