import { createTurns } from '../../../utils/turns.ts';
import { defaultContextLength } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import { InsufficientMemory } from '../../memory-estimate.ts';
import { usableCores } from '../../node/cores.ts';
import { openContext } from './context.ts';
import { POOLING } from './library/structs.ts';
import type { LlamaModel } from './model.ts';
import type { Token } from './tokens/token.ts';

/** The context of a model that turns texts into vectors or scores, one text at a time. The model owns it. */
export interface TextContext {
  /** The longest text, in tokens. */
  readonly textLength: number;
  /** Computes the vector of a text, with as many numbers as the model gives. Throws if the forward pass fails. */
  compute(tokens: readonly Token[], threads: number): Promise<number[]>;
}

/**
 * Makes the context. Throws `InsufficientMemory` if llama.cpp cannot make it, and a plain error for a model with an
 * encoder and a decoder, whose vectors nobody uses.
 */
export async function createTextContext(model: LlamaModel, options: EngineOptions): Promise<TextContext> {
  const { llama } = model.library;
  if (llama.llama_model_has_encoder(model.handle) && llama.llama_model_has_decoder(model.handle))
    throw new Error('a model with an encoder and a decoder makes no vectors');
  const textLength = longestText(model, options);
  const batchSize = readsInBatches(model) ? Math.min(options.microBatch ?? options.batchSize, textLength) : textLength;
  const context = await openContext(model, {
    contextLength: textLength,
    sequences: 1,
    batchSize,
    threads: options.threads ?? usableCores().count,
    output: options.kind === 'rerank' ? 'score' : 'embedding',
  });
  if (!context) {
    const reason = model.library.takeError();
    throw new InsufficientMemory(`llama.cpp could not make a context of ${textLength} tokens: ${reason}`);
  }
  model.own(context);
  const alone = createTurns();
  return {
    textLength,
    compute: (tokens, threads) =>
      alone(async () => {
        if (tokens.length === 0) return [];
        context.setThreads(threads);
        context.remove(0, 0);
        for (let at = 0; at < tokens.length; at += batchSize) {
          const part = tokens.slice(at, at + batchSize);
          await context.decode([{ sequence: 0, at, tokens: part, logitsAt: [...part.keys()] }]);
        }
        return Array.from(context.outputOf(0));
      }),
  };
}

/**
 * Returns the longest text of an embedding or ranking model, in tokens. It never exceeds the trained length, because
 * some models fail beyond it.
 */
function longestText(model: LlamaModel, { contextLength, kind }: EngineOptions): number {
  const trained = model.trainedContextLength;
  const batched = readsInBatches(model);
  return Math.min(contextLength ?? defaultContextLength({ backend: 'cpu', kind, trained, batched }), trained);
}

/** True if the vector is that of the last token, so that a text can be read in several passes. */
function readsInBatches(model: LlamaModel): boolean {
  return Number(model.architecture('pooling_type')) === POOLING.last;
}
