import { ApiError, type ErrorData, toErrorData } from './errors.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import type { GenerationEvent } from './events.ts';
import type { Emit, GenerationRequest, QuestionKind, Questions } from './runner.ts';

/** The part of a MessagePort that the wire needs; Node's and the browser's both have it. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  close(): void;
}

/** What a caller says, one port a generation or question. */
type CallerMessage =
  | { kind: 'generate'; request: GenerationRequest }
  | { kind: 'ask'; about: QuestionKind; question: Questions[QuestionKind]['question'] }
  | { kind: 'cancel' };

/** What an engine's side says back. Nothing follows `end` or `error`. */
type EngineMessage =
  | { kind: 'event'; event: GenerationEvent }
  | { kind: 'answer'; answer: Questions[QuestionKind]['answer'] }
  | { kind: 'end' }
  | { kind: 'error'; error: ErrorData };

/** What an engine's side can be called for: `Engine` in plain words. */
export interface EngineService {
  generate(request: GenerationRequest, emit: Emit, signal: AbortSignal): Promise<void>;
  ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K]['question'],
    signal?: AbortSignal,
  ): Promise<Questions[K]['answer']>;
}

/** The events of a call, and the means to end it from outside when the other end is known to be dead. */
export interface Call<T> {
  events: EventQueue<T>;
  fail: (error: unknown) => void;
}

/** Asks for a generation and yields its events. An abort, or ending the iteration, cancels it. */
export function callEngine(port: Port, request: GenerationRequest, signal: AbortSignal): Call<GenerationEvent> {
  return call(port, { kind: 'generate', request }, signal, (message) =>
    message.kind === 'event' ? message.event : undefined,
  );
}

/** Asks a question and yields its one answer. An abort ends the wait at once and tells the engine. */
export function askEngine<K extends QuestionKind>(
  port: Port,
  about: K,
  question: Questions[K]['question'],
  signal: AbortSignal,
): Call<Questions[K]['answer']> {
  return call(port, { kind: 'ask', about, question }, signal, (message) =>
    message.kind === 'answer' ? message.answer : undefined,
  );
}

function call<T>(
  port: Port,
  opening: CallerMessage,
  signal: AbortSignal,
  extract: (message: EngineMessage) => T | undefined,
): Call<T> {
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
  const events = createEventQueue<T>(cancel);
  const fail = (error: unknown) => {
    if (ended) return;
    finish();
    events.fail(error);
  };

  port.onmessage = ({ data }) => {
    const message = data as EngineMessage;
    if (message.kind === 'error') return fail(new ApiError(message.error));
    const value = extract(message);
    if (value !== undefined) return events.push(value);
    finish();
    events.end();
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  else send(opening);
  return { events, fail };
}

/**
 * The engine's end: waits for the call, serves it and says what comes of it. Resolves when it is over.
 * `onFailure` hears of errors that the caller is not told the inside of.
 */
export function serveEngine(port: Port, service: EngineService, onFailure: (error: unknown) => void): Promise<void> {
  const send = (message: EngineMessage) => port.postMessage(message);
  const cancelled = new AbortController();

  return new Promise((resolve) => {
    let running = false;
    const end = () => {
      port.close();
      resolve();
    };
    const run = async (work: Promise<void>) => {
      running = true;
      try {
        await work;
        send({ kind: 'end' });
      } catch (error) {
        if (!(error instanceof ApiError)) onFailure(error);
        send({ kind: 'error', error: toErrorData(error) });
      } finally {
        end();
      }
    };
    const answer = async (about: QuestionKind, question: Questions[QuestionKind]['question']) =>
      send({ kind: 'answer', answer: await service.ask(about, question, cancelled.signal) });

    port.onmessage = ({ data }) => {
      const message = data as CallerMessage;
      switch (message.kind) {
        case 'generate':
          return void run(
            service.generate(message.request, (event) => send({ kind: 'event', event }), cancelled.signal),
          );
        case 'ask':
          return void run(answer(message.about, message.question));
        case 'cancel':
          cancelled.abort();
          return running ? undefined : end();
        default:
          return message satisfies never;
      }
    };
  });
}
