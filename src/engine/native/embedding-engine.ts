import { sum } from '../../utils/sum.ts';
import type { Answers } from '../answers.ts';
import { overlongText } from '../overlong.ts';
import { toUnitLength } from '../unit-length.ts';
import type { LlamaEmbeddingContext, LlamaModel, LlamaRankingContext, Token } from './llama/llama.ts';
import { scoreOf } from './llama/text-context.ts';
import type { Vocabulary } from './llama/vocabulary.ts';
import { createRankingPrompt } from './ranking-prompt.ts';
import type { TextPasses } from './text-passes.ts';

/**
 * Returns the answers of an embedding model. `embed` throws a 400 `ApiError` for an input of more than `contextLength`
 * tokens.
 */
export function embeddingAnswers(
  context: LlamaEmbeddingContext,
  vocabulary: Vocabulary,
  contextLength: number,
  compute: TextPasses,
): Answers {
  return {
    async embed({ inputs }, signal) {
      const tokenized: Token[][] = [];
      for (const input of inputs) {
        const prompt = await vocabulary.promptTokens(input, signal);
        tokenized.push(prompt && 'tokens' in prompt ? prompt.tokens : []);
      }
      const lengths = tokenized.map((tokens) => context.calculateInputLength(tokens));
      refuseOverlong(lengths, contextLength, 'input');
      const vectors: number[][] = [];
      for (const tokens of tokenized) {
        if (signal?.aborted) break;
        const { vector } = await compute(tokens.length, () => context.getEmbeddingFor(tokens));
        vectors.push(toUnitLength(vector));
      }
      return { vectors, tokens: sum(lengths) };
    },
  };
}

/**
 * Returns the answers of a ranking model. `rerank` throws a 400 `ApiError` for a document of more than `contextLength`
 * tokens.
 */
export function rerankAnswers(
  context: LlamaRankingContext,
  model: LlamaModel,
  contextLength: number,
  compute: TextPasses,
): Answers {
  const prompt = createRankingPrompt(model);
  return {
    async rerank({ query, documents }, signal) {
      const prompts = documents.map((document) => prompt(query, document));
      const lengths = prompts.map(({ length }) => length);
      refuseOverlong(lengths, contextLength, 'documents');
      const scores: number[] = [];
      for (const tokens of prompts) {
        if (signal?.aborted) break;
        scores.push(await compute(tokens.length, () => scoreOf(context, tokens)));
      }
      return { scores, tokens: sum(lengths) };
    },
  };
}

function refuseOverlong(lengths: number[], contextLength: number, param: 'input' | 'documents'): void {
  const overlong = lengths.find((length) => length > contextLength);
  if (overlong !== undefined) throw overlongText(param, overlong, contextLength);
}
