import { defaultContextLength } from '../context-length.ts';
import type { EngineOptions } from '../engine.ts';
import { contextOptions, type LlamaModel, type LlamaRankingContext, type Token } from './llama.ts';

/** llama.cpp's `LLAMA_POOLING_TYPE_LAST`. */
const POOLING_LAST = 3;

/** The longest text, in tokens, for a model of vectors or scores; some can't read on where their training ended. */
export function textLength(model: LlamaModel, { contextLength, kind }: EngineOptions): number {
  const trained = model.trainContextSize;
  const batched = readsInBatches(model);
  return Math.min(contextLength ?? defaultContextLength({ backend: 'cpu', kind, trained, batched }), trained);
}

/** The settings of a context for texts of up to `textLength` tokens. */
export function textContextOptions(model: LlamaModel, options: EngineOptions) {
  const length = textLength(model, options);
  return {
    ...contextOptions(model, options),
    // node-llama-cpp wants room for one token more than it ever takes.
    contextSize: length + 1,
    batchSize: readsInBatches(model) ? options.batchSize : length,
  };
}

/** The score, 0 to 1, of a query and a document as tokens. node-llama-cpp keeps it to its own way to put them together. */
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
