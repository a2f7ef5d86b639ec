import { defaultContextLength } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import { contextOptions, type LlamaModel, type LlamaRankingContext, type Token } from './llama.ts';

/** llama.cpp's `LLAMA_POOLING_TYPE_LAST`. */
const POOLING_LAST = 3;

/**
 * Returns the longest text of an embedding or ranking model, in tokens. It never exceeds the trained length, because
 * some models fail beyond it.
 */
export function textLength(model: LlamaModel, { contextLength, kind }: EngineOptions): number {
  const trained = model.trainContextSize;
  const batched = readsInBatches(model);
  return Math.min(contextLength ?? defaultContextLength({ backend: 'cpu', kind, trained, batched }), trained);
}

/** Returns the context settings for texts of up to `textLength` tokens. */
export function textContextOptions(model: LlamaModel, options: EngineOptions) {
  const length = textLength(model, options);
  return {
    ...contextOptions(model, options),
    // node-llama-cpp wants room for one more token than it ever uses.
    contextSize: length + 1,
    batchSize: readsInBatches(model) ? options.batchSize : length,
  };
}

/**
 * Returns the score of a query and a document, given as tokens, from 0 to 1. Uses a private function of node-llama-cpp:
 * the public one joins query and document in its own way. Throws if the forward pass fails.
 */
export function scoreOf(context: LlamaRankingContext, tokens: Token[]): Promise<number> {
  const score = Reflect.get(context, '_evaluateRankingForInput') as (
    this: LlamaRankingContext,
    tokens: Token[],
  ) => Promise<number>;
  return score.call(context, tokens);
}

function readsInBatches({ fileInfo }: LlamaModel): boolean {
  return Number(fileInfo.architectureMetadata.pooling_type) === POOLING_LAST;
}
