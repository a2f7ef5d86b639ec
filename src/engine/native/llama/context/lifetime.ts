import type { Pointer } from '../library/pointer.ts';

/** Runs a call of C with the context, which is not freed before the call has ended. Rejects once it is closed. */
export type During = <T>(call: (context: Pointer) => Promise<T>) => Promise<T>;

/** A context of llama.cpp from its making to its end. */
export interface Lifetime {
  /** Returns the context. Throws after `close`. */
  handle(): Pointer;
  during: During;
  /** Frees the context when all calls have ended. May be called twice. */
  close(): Promise<void>;
}

/** @param free is called once, when nothing uses the context any more */
export function createLifetime(opened: Pointer, free: () => void): Lifetime {
  let closed = false;
  /** The number of calls that are under way, and what waits for their end. */
  let calls = 0;
  let onIdle: (() => void) | undefined;

  const handle = (): Pointer => {
    if (closed) throw new Error('the context is closed');
    return opened;
  };
  return {
    handle,
    async during(call) {
      const context = handle();
      calls += 1;
      try {
        return await call(context);
      } finally {
        calls -= 1;
        if (calls === 0) onIdle?.();
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      if (calls > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      free();
    },
  };
}
