import type { QuestionKind, Questions } from './questions.ts';

/**
 * One loaded model. `Request` is the type of its requests: a `GenerationRequest` holds a conversation, a `TextRequest`
 * of the engines holds raw text. `Event` is the type of the events that it emits.
 */
export interface Inference<Request, Event> {
  /**
   * Runs one generation and resolves after its last event. An abort ends it at the next step, without a `done` event.
   * Throws an `ApiError` if the request is wrong.
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
