import { ApiError, type ErrorData, serverError, toErrorData } from './errors.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import type { GenerationEvent } from './events.ts';
import type { Emit, GenerationRequest } from './runner.ts';

/** The part of a MessagePort that the wire needs; Node's and the browser's both have it. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  close(): void;
}

/** What a caller says, one port a generation. */
type CallerMessage = { kind: 'generate'; request: GenerationRequest } | { kind: 'cancel' };

/** What an engine's side says back. Nothing follows `end` or `error`. */
type EngineMessage = { kind: 'event'; event: GenerationEvent } | { kind: 'end' } | { kind: 'error'; error: ErrorData };

/**
 * The caller's end: asks for a generation and yields its events. An abort, or ending the iteration, cancels it.
 * `fail` ends it from outside, when the other end is known to be dead.
 */
export function callEngine(
  port: Port,
  request: GenerationRequest,
  signal: AbortSignal,
): { events: EventQueue<GenerationEvent>; fail: (error: unknown) => void } {
  let ended = false;
  const send = (message: CallerMessage) => port.postMessage(message);
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
  const events = createEventQueue<GenerationEvent>(cancel);
  const fail = (error: unknown) => {
    if (ended) return;
    finish();
    events.fail(error);
  };

  port.onmessage = ({ data }) => {
    const message = data as EngineMessage;
    switch (message.kind) {
      case 'event':
        return events.push(message.event);
      case 'end':
        finish();
        return events.end();
      case 'error':
        return fail(new ApiError(message.error));
      default:
        return message satisfies never;
    }
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  else send({ kind: 'generate', request });
  return { events, fail };
}

/**
 * The engine's end: waits for the request, runs it and says what it says. Resolves when the generation has ended.
 * `onFailure` hears of errors that the caller is not told the inside of.
 */
export function serveEngine(
  port: Port,
  generate: (request: GenerationRequest, emit: Emit, signal: AbortSignal) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const send = (message: EngineMessage) => port.postMessage(message);
  const cancelled = new AbortController();

  return new Promise((resolve) => {
    let running = false;
    const end = () => {
      port.close();
      resolve();
    };
    const run = async (request: GenerationRequest) => {
      running = true;
      try {
        await generate(request, (event) => send({ kind: 'event', event }), cancelled.signal);
        send({ kind: 'end' });
      } catch (error) {
        if (!(error instanceof ApiError)) onFailure(error);
        send({ kind: 'error', error: toErrorData(error instanceof ApiError ? error : serverError()) });
      } finally {
        end();
      }
    };
    port.onmessage = ({ data }) => {
      const message = data as CallerMessage;
      switch (message.kind) {
        case 'generate':
          return void run(message.request);
        case 'cancel':
          cancelled.abort();
          return running ? undefined : end();
        default:
          return message satisfies never;
      }
    };
  });
}
