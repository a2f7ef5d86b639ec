import { serverError } from './errors.ts';
import type { GenerationEvent } from './events.ts';
import type { Emit, GenerationRequest, QuestionKind, Questions } from './runner.ts';
import { type Call, type CallContext, openCall, type Port, serveCall } from './wire.ts';

/**
 * One loaded model. `Request` tells its level: a `GenerationRequest` is a whole conversation, a `TextRequest` of the
 * engines is raw text.
 */
export interface Inference<Request> {
  /**
   * Runs one generation and resolves after its last event. An abort ends it at the next step, without a `done` event.
   * Throws an `ApiError` for a mistake of the client.
   */
  generate(request: Request, emit: Emit, signal: AbortSignal): Promise<void>;

  /**
   * Answers a question. Throws a 400 `ApiError` if this model or its engine can't answer it. After an abort it may stop
   * early, and its answer is not used.
   */
  ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K]['question'],
    signal?: AbortSignal,
  ): Promise<Questions[K]['answer']>;
}

/** A model's answer to a question: the only event of such a call. */
export interface Answer<K extends QuestionKind = QuestionKind> {
  kind: 'answer';
  answer: Questions[K]['answer'];
}

/** What a call to a model asks for, as it crosses the wire. */
export type InferenceCall =
  | { kind: 'generate'; request: GenerationRequest }
  | { kind: 'ask'; about: QuestionKind; question: Questions[QuestionKind]['question'] };

/** Asks the model behind a port for a generation. */
export function callGenerate(port: Port, request: GenerationRequest, context: CallContext): Call<GenerationEvent> {
  return openCall(port, { kind: 'generate', request } satisfies InferenceCall, context);
}

/** Asks the model behind a port a question. The only event of the call is the answer. */
export function callAsk<K extends QuestionKind>(
  port: Port,
  about: K,
  question: Questions[K]['question'],
  context: CallContext,
): Call<Answer<K>> {
  return openCall(port, { kind: 'ask', about, question } satisfies InferenceCall, context);
}

/** Waits for the answer of a call. Throws a 500 `ApiError` if the call ends without one, as it does after an abort. */
export async function answerOf<K extends QuestionKind>({ events }: Call<Answer<K>>): Promise<Questions[K]['answer']> {
  for await (const { answer } of events) return answer;
  throw serverError('The request ended before its answer came.');
}

/** Lets a model serve the one call of a port. Resolves when the call is over; see `serveCall`. */
export function serveInference(
  port: Port,
  model: Inference<GenerationRequest>,
  onFailure: (error: unknown, context: CallContext) => void,
): Promise<void> {
  return serveCall<InferenceCall, GenerationEvent | Answer>(
    port,
    async (call, emit, { signal }) => {
      if (call.kind === 'generate') return model.generate(call.request, emit, signal);
      emit({ kind: 'answer', answer: await model.ask(call.about, call.question, signal) });
    },
    onFailure,
  );
}
