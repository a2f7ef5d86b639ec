import type { QuestionKind, Questions } from './questions.ts';

/**
 * One loaded model at work. `Request` says in what terms: a `GenerationRequest` is a whole conversation, a `TextRequest`
 * of the engines is raw text. `Event` is what it says of a generation.
 */
export interface Inference<Request, Event> {
  /**
   * Runs one generation and resolves after its last event. An abort ends it at the next step, without a `done` event.
   * Throws an `ApiError` for a mistake of the client.
   */
  generate(request: Request, emit: (event: Event) => void, signal: AbortSignal): Promise<void>;

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
