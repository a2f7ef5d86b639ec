import { sum } from '../../utils/sum.ts';
import type { Answers } from '../answers.ts';
import { overlongText } from '../overlong.ts';
import { toUnitLength } from '../unit-length.ts';
import type { LlamaModel } from './llama/model.ts';
import type { TextContext } from './llama/text-context.ts';
import type { Token } from './llama/tokens/token.ts';
import type { Vocabulary } from './llama/tokens/vocabulary.ts';
import { createRankingPrompt } from './ranking-prompt.ts';
import type { TextPasses } from './text-passes.ts';

/**
 * Returns the answers of an embedding model. `embed` throws a 400 `ApiError` for an input that is longer than the
 * context.
 */
export function embeddingAnswers(
  context: TextContext,
  model: LlamaModel,
  vocabulary: Vocabulary,
  passes: TextPasses,
): Answers {
  return {
    async embed({ inputs }, signal) {
      const tokenized: Token[][] = [];
      for (const input of inputs) {
        const prompt = await vocabulary.promptTokens(input, signal);
        tokenized.push(prompt && 'tokens' in prompt ? framed(prompt.tokens, model) : []);
      }
      const lengths = tokenized.map(({ length }) => length);
      refuseOverlong(lengths, context.textLength, 'input');
      const vectors: number[][] = [];
      for (const tokens of tokenized) {
        if (signal?.aborted) break;
        const vector = await passes(tokens.length, (threads) => context.compute(tokens, threads));
        vectors.push(toUnitLength(vector));
      }
      return { vectors, tokens: sum(lengths) };
    },
  };
}

/**
 * Returns the answers of a ranking model. `rerank` throws a 400 `ApiError` for a document that is longer than the
 * context.
 */
export function rerankAnswers(context: TextContext, model: LlamaModel, passes: TextPasses): Answers {
  const prompt = createRankingPrompt(model);
  const isProbability = GIVES_PROBABILITIES.includes(model.metadata('general.architecture') ?? '');
  return {
    async rerank({ query, documents }, signal) {
      const prompts = documents.map((document) => prompt(query, document));
      const lengths = prompts.map(({ length }) => length);
      refuseOverlong(lengths, context.textLength, 'documents');
      const scores: number[] = [];
      for (const tokens of prompts) {
        if (signal?.aborted) break;
        const [score = 0] = await passes(tokens.length, (threads) => context.compute(tokens, threads));
        scores.push(isProbability ? score : 1 / (1 + Math.exp(-score)));
      }
      return { scores, tokens: sum(lengths) };
    },
  };
}

/** The architectures whose score is a probability already. All others give a logit. */
const GIVES_PROBABILITIES = ['qwen3', 'qwen3vl'];

/** Adds the tokens that begin and end a text for this model, unless they are there already. */
function framed(tokens: Token[], { tokenizer: { frame } }: LlamaModel): Token[] {
  if (tokens.length === 0) return [];
  const start = tokens[0] === frame.start[0] ? [] : frame.start;
  const end = tokens.at(-1) === frame.end.at(-1) ? [] : frame.end;
  return [...start, ...tokens, ...end];
}

function refuseOverlong(lengths: number[], contextLength: number, param: 'input' | 'documents'): void {
  const overlong = lengths.find((length) => length > contextLength);
  if (overlong !== undefined) throw overlongText(param, overlong, contextLength);
}
