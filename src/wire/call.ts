import type { CallContext } from '../contract/call-context.ts';
import { ApiError, type ErrorData, toErrorData } from '../contract/errors.ts';
import type { Port } from '../contract/port.ts';

/**
 * One call over one port. Both ends have the same shape: a function that emits events and a promise that settles at the end of
 * the call. `serveCall` runs the function, and `openCall` emits the same events on the other side of the port.
 */

/** A message from the caller. A port carries one call. `C` is the content of the call, as plain data. */
type CallerMessage<C> = { kind: 'call'; call: C; requestId: string } | { kind: 'cancel' };

/** A message from the serving end, which may also send a list of messages. No message follows `end` or `error`. */
export type CalleeMessage<E> = { kind: 'event'; event: E } | { kind: 'end' } | { kind: 'error'; error: ErrorData };

/** A call that runs at the other end of a port. */
export interface Call {
  /**
   * Resolves after the last event, and at once after an abort, from when on nothing is emitted. Rejects with the `ApiError` of
   * the serving end, or with the error that was given to `fail`.
   */
  done: Promise<void>;
  /** Ends the call with an error if it still runs: for when the other end is known to be dead. */
  fail: (error: unknown) => void;
}

/** Sends a call over a port and emits its events as they come. An abort of the context's signal cancels the call. */
export function openCall<C, E>(port: Port, call: C, emit: (event: E) => void, context: CallContext): Call {
  const { requestId, signal } = context;
  const send = (message: CallerMessage<C>) => port.postMessage(message);
  let settle: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever opens a call may await `done` only later.
  done.catch(() => {});

  /** Closes the port. Returns what settles `done`, the first time alone. */
  const finish = () => {
    const settling = settle;
    settle = null;
    if (!settling) return null;
    signal.removeEventListener('abort', cancel);
    port.onmessage = null;
    port.close();
    return settling;
  };
  const cancel = () => {
    if (settle) send({ kind: 'cancel' });
    finish()?.resolve();
  };
  const fail = (error: unknown) => finish()?.reject(error);

  /** An error of `emit` belongs to the call: thrown here, it would end the process. */
  const pass = (event: E) => {
    try {
      emit(event);
    } catch (error) {
      if (settle) send({ kind: 'cancel' });
      fail(error);
    }
  };
  const take = (message: CalleeMessage<E>) => {
    if (!settle) return;
    switch (message.kind) {
      case 'event':
        return pass(message.event);
      case 'error':
        return fail(new ApiError(message.error));
      case 'end':
        return finish()?.resolve();
      default:
        return message satisfies never;
    }
  };
  port.onmessage = ({ data }) => {
    if (Array.isArray(data)) for (const message of data) take(message);
    else take(data as CalleeMessage<E>);
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  else send({ kind: 'call', call, requestId });
  return { done, fail };
}

/** Serves a call and emits its events. A thrown `ApiError` reaches the caller as it is, any other error as a plain 500. */
export type Serve<C, E> = (call: C, emit: (event: E) => void, context: CallContext) => Promise<void>;

/**
 * Waits for the one call of a port and serves it. Resolves when the call is over. `onFailure` gets the errors whose
 * details clients must not see.
 */
export function serveCall<C, E>(
  port: Port,
  serve: Serve<C, E>,
  onFailure: (error: unknown, context: CallContext) => void,
): Promise<void> {
  const send = (message: CalleeMessage<E>) => port.postMessage(message);
  const cancelled = new AbortController();

  return new Promise((resolve) => {
    let running = false;
    const end = () => {
      port.close();
      resolve();
    };
    const run = async (call: C, context: CallContext) => {
      running = true;
      try {
        await serve(call, (event) => send({ kind: 'event', event }), context);
        send({ kind: 'end' });
      } catch (error) {
        if (!(error instanceof ApiError)) onFailure(error, context);
        send({ kind: 'error', error: toErrorData(error) });
      } finally {
        end();
      }
    };

    port.onmessage = ({ data }) => {
      const message = data as CallerMessage<C>;
      switch (message.kind) {
        case 'call':
          return void run(message.call, { requestId: message.requestId, signal: cancelled.signal });
        case 'cancel':
          cancelled.abort();
          return running ? undefined : end();
        default:
          return message satisfies never;
      }
    };
  });
}
