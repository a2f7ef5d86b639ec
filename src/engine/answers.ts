import { unsupportedParameter } from '../core/errors.ts';
import type { QuestionKind, Questions } from '../core/runner.ts';
import type { TextEngine } from './engine.ts';

/** The questions that an engine answers. */
export type Answers = {
  [K in QuestionKind]?: (
    question: Questions[K]['question'],
    signal: AbortSignal | undefined,
  ) => Questions[K]['answer'] | Promise<Questions[K]['answer']>;
};

const IN_WORDS: Record<QuestionKind, string> = {
  embed: 'makes no embeddings',
  rerank: 'ranks no documents',
  tokenize: 'does not tell its tokens',
  detokenize: 'does not tell its tokens',
};

/** An engine's `ask` over the questions that it answers; the others get a 400 `ApiError`. */
export function askFrom(answers: Answers): TextEngine['ask'] {
  return async (kind, question, signal) => {
    const answer = answers[kind];
    if (!answer) throw unsupportedParameter('model', `The model, on the engine that runs it, ${IN_WORDS[kind]}.`);
    return answer(question, signal);
  };
}
