import type { CallContext } from '../contract/call-context.ts';
import { ApiError, type ErrorData, toErrorData } from '../contract/errors.ts';
import type { Port } from '../contract/port.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';

/** A message from the caller. A port carries one call. `C` is the content of the call, as plain data. */
type CallerMessage<C> = { kind: 'call'; call: C; requestId: string } | { kind: 'cancel' };

/** A message from the end that serves the call, which may also send a list of them. Nothing follows `end` or `error`. */
export type CalleeMessage<E> = { kind: 'event'; event: E } | { kind: 'end' } | { kind: 'error'; error: ErrorData };

/** A call under way. `fail` ends its events with an error, for when the other end is known to be dead. */
export interface Call<E> {
  events: EventQueue<E>;
  fail: (error: unknown) => void;
}

/** Sends a call and returns its events. An abort cancels it, and so does ending the iteration. */
export function openCall<C, E>(port: Port, call: C, { requestId, signal }: CallContext): Call<E> {
  let ended = false;
  const send = (message: CallerMessage<C>) => port.postMessage(message);
  const finish = () => {
    ended = true;
    signal.removeEventListener('abort', cancel);
    port.onmessage = null;
    port.close();
  };
  const cancel = () => {
    if (ended) return;
    send({ kind: 'cancel' });
    finish();
    events.end();
  };
  const events = createEventQueue<E>(cancel);
  const fail = (error: unknown) => {
    if (ended) return;
    finish();
    events.fail(error);
  };

  const take = (message: CalleeMessage<E>) => {
    switch (message.kind) {
      case 'event':
        return events.push(message.event);
      case 'error':
        return fail(new ApiError(message.error));
      case 'end':
        finish();
        return events.end();
      default:
        return message satisfies never;
    }
  };
  port.onmessage = ({ data }) => {
    if (Array.isArray(data)) data.forEach(take);
    else take(data as CalleeMessage<E>);
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  else send({ kind: 'call', call, requestId });
  return { events, fail };
}

/**
 * Serves a call and emits its events. A thrown `ApiError` reaches the caller as it is, any other error as a plain 500.
 */
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
