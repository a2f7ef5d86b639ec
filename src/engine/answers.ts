import { unsupportedParameter } from '../contract/errors.ts';
import type { QuestionKind, Questions } from '../contract/questions.ts';
import type { TextEngine } from './engine.ts';

/** The functions by which an engine answers questions. It has none for the questions that it cannot answer. */
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
  countPrompt: 'does not count tokens',
  renderPrompt: 'renders no prompts',
  countTokens: 'does not count tokens',
  weighReplies: 'does not decide between texts',
  weigh: 'does not decide between texts',
};

/**
 * Makes an engine's `ask` from its answers. `ask` throws a 400 `ApiError` for a question that the engine cannot answer.
 */
export function askFrom(answers: Answers): TextEngine['ask'] {
  return async (kind, question, signal) => {
    const answer = answers[kind];
    if (!answer) throw unsupportedParameter('model', `The model, on the engine that runs it, ${IN_WORDS[kind]}.`);
    return answer(question, signal);
  };
}
