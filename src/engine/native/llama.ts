import {
  type CustomBatchingPrioritizationStrategy,
  getLlama,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
  TokenBias,
} from 'node-llama-cpp';
import type { Log } from '../../core/log.ts';
import type { Sampling } from '../../core/runner.ts';
import type { EngineOptions } from '../engine.ts';

/** The one file that knows node-llama-cpp: what the engine needs of it, in the engine's own words. */
export type { LlamaContext, LlamaContextSequence, LlamaModel, SequenceEvaluateOptions, Token };

export interface Loaded {
  llama: Llama;
  model: LlamaModel;
  context: LlamaContext;
}

/** Context window of one slot where nobody asks for another: long enough to work with, and it fits most machines. */
const DEFAULT_CONTEXT_LENGTH = 8192;

/** Loads a model with the prebuilt binaries. Throws when they, the GPU or the memory are lacking. */
export async function loadModel(options: EngineOptions, backend: 'gpu' | 'cpu', log: Log): Promise<Loaded> {
  const llama = await getLlama({
    build: 'never',
    gpu: backend === 'gpu' ? 'auto' : false,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => log.debug(message.trim(), { source: 'llama.cpp', level }),
  });
  try {
    if (backend === 'gpu' && llama.gpu === false)
      throw new Error('no GPU that the prebuilt binaries can use was found');
    const [modelPath] = options.files;
    if (!modelPath) throw new Error('the model has no files');
    const model = await llama.loadModel({ modelPath, ...(backend === 'cpu' && { gpuLayers: 0 }) });
    const context = await model.createContext({
      sequences: options.slots,
      contextSize: options.contextLength ?? { max: Math.min(model.trainContextSize, DEFAULT_CONTEXT_LENGTH) },
      batchSize: Math.max(options.batchSize, options.slots),
      ...(options.threads !== null && { threads: options.threads }),
      batching: { itemPrioritizationStrategy: inSlotOrder },
    });
    return { llama, model, context };
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

/**
 * llama.cpp puts only tokens of consecutive, ascending sequence ids into one micro-batch, so the batch is ordered by
 * slot. The slot's number travels as the evaluation priority, the one thing an item carries through.
 */
const inSlotOrder: CustomBatchingPrioritizationStrategy = ({ items }) =>
  [...items]
    .sort((a, b) => a.evaluationPriority - b.evaluationPriority)
    .map((item) => ({ item, processAmount: item.tokens.length }));

/** Slot number as node-llama-cpp's priority, whose type allows 1 to 5 although any number works. */
export function slotPriority(slot: number): NonNullable<SequenceEvaluateOptions['evaluationPriority']> {
  return slot as NonNullable<SequenceEvaluateOptions['evaluationPriority']>;
}

/** Our sampling fields in node-llama-cpp's terms. `recent` gives the last n tokens of prompt and reply. */
export function toEvaluateOptions(
  sampling: Sampling,
  model: LlamaModel,
  contextLength: number,
  recent: (count: number) => Token[],
): SequenceEvaluateOptions {
  const window = sampling.repeatLastN === -1 ? contextLength : sampling.repeatLastN;
  const penalized =
    window > 0 && (sampling.repeatPenalty !== 1 || sampling.presencePenalty !== 0 || sampling.frequencyPenalty !== 0);
  return {
    temperature: sampling.temperature,
    topK: sampling.topK,
    topP: sampling.topP,
    minP: sampling.minP,
    seed: sampling.seed,
    ...(penalized && {
      repeatPenalty: {
        punishTokens: () => recent(window),
        maxPunishTokens: window,
        penalty: sampling.repeatPenalty,
        presencePenalty: sampling.presencePenalty,
        frequencyPenalty: sampling.frequencyPenalty,
      },
    }),
    ...(sampling.logitBias.length > 0 && { tokenBias: toTokenBias(sampling.logitBias, model) }),
  };
}

function toTokenBias(biases: Sampling['logitBias'], model: LlamaModel): TokenBias {
  const tokenBias = TokenBias.for(model);
  for (const [token, logit] of biases) tokenBias.set(token as Token, { logit });
  return tokenBias;
}
