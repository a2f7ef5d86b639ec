import {
  type ControlledEvaluateInputItem,
  type CustomBatchingPrioritizationStrategy,
  getLlama,
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaEmbeddingContext,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  type LlamaModel,
  type LlamaRankingContext,
  NoBinaryFoundError,
  type SequenceEvaluateOptions,
  type Token,
  TokenBias,
} from 'node-llama-cpp';
import { invalidRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Sampling } from '../../core/runner.ts';
import { defaultContextLength } from '../context-length.ts';
import type { EngineOptions } from '../engine.ts';
import { InsufficientMemory, inWords } from '../memory-estimate.ts';
import type { WorkerConfig } from '../node/task.ts';

/** Where the engine meets node-llama-cpp (but for `probe.ts`, which looks for its backends): what it needs, in its own words. */
export type {
  Llama,
  LlamaContext,
  LlamaContextSequence,
  LlamaEmbeddingContext,
  LlamaModel,
  LlamaRankingContext,
  SequenceEvaluateOptions,
  Token,
};

export interface NativeModel {
  llama: Llama;
  model: LlamaModel;
}

/**
 * Loads a model with the prebuilt binaries. Throws when they or the GPU are lacking, and `InsufficientMemory` when memory
 * is: that of a GPU, which holds as many layers as fit, and of the machine, which holds the others.
 */
export async function loadModel(
  { files, gpuLayers }: EngineOptions,
  backend: 'gpu' | 'cpu',
  log: Log,
  memory: WorkerConfig['memory'],
): Promise<NativeModel> {
  const llama = await getLlama({
    build: 'never',
    gpu: backend === 'gpu' ? 'auto' : false,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => log.debug(message.trim(), { source: 'llama.cpp', level }),
  }).catch((error: unknown) => {
    throw inOurWords(error);
  });
  try {
    if (backend === 'gpu' && llama.gpu === false)
      throw new Error('no GPU that the prebuilt binaries can use was found');
    if (backend === 'gpu') await refuseHopeless(llama, memory);
    const [modelPath] = files;
    if (!modelPath) throw new Error('the model has no files');
    const layers = backend === 'cpu' ? 0 : gpuLayers;
    return { llama, model: await llama.loadModel({ modelPath, ...(layers !== undefined && { gpuLayers: layers }) }) };
  } catch (error) {
    await llama.dispose();
    throw inOurWords(error);
  }
}

/** Throws `InsufficientMemory` for a model that GPU and machine together can't hold. */
export async function refuseHopeless(
  llama: Pick<Llama, 'getVramState'>,
  { needed, available }: WorkerConfig['memory'],
): Promise<void> {
  const { free, unifiedSize } = await llama.getVramState();
  // What the two share is counted once.
  const most = available + Math.max(0, free - unifiedSize);
  if (needed > most) {
    throw new InsufficientMemory(`the model needs ${inWords(needed)}, GPU and machine have ${inWords(most)}`);
  }
}

/** node-llama-cpp's errors as the engine's: too little memory, and no binary, which it gives no reason for. */
export function inOurWords(error: unknown): unknown {
  if (error instanceof NoBinaryFoundError)
    return new Error('no native binary of llama.cpp is installed', { cause: error });
  return error instanceof InsufficientMemoryError ? new InsufficientMemory(error.message) : error;
}

/** The context of a chat model: a sequence for each slot, all in one batch. */
export function createContext(model: LlamaModel, options: EngineOptions): Promise<LlamaContext> {
  return model.createContext({
    sequences: options.slots,
    batchSize: Math.max(options.batchSize, options.slots),
    batching: { itemPrioritizationStrategy: inSlotOrder },
    ...contextOptions(model, options),
  });
}

/** The context window of a chat model, in tokens, where nobody asks for another. */
export function chatLength({ trainContextSize: trained }: LlamaModel): number {
  return defaultContextLength({ backend: 'cpu', kind: 'chat', trained });
}

/** What the contexts of every kind of model take alike. */
export function contextOptions(model: LlamaModel, { contextLength, threads }: EngineOptions) {
  return {
    contextSize: contextLength ?? { max: chatLength(model) },
    ...(threads !== null && { threads }),
  };
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

/** What the sampling options can't say by themselves. */
export interface SamplingContext {
  model: LlamaModel;
  contextLength: number;
  grammar: LlamaGrammarEvaluationState | undefined;
  /** The last n tokens of prompt and reply. */
  recent: (count: number) => Token[];
}

/** Our sampling fields in node-llama-cpp's terms. */
export function toEvaluateOptions(sampling: Sampling, context: SamplingContext): SequenceEvaluateOptions {
  const window = penaltyWindow(sampling, context.contextLength);
  const penalized =
    window > 0 && (sampling.repeatPenalty !== 1 || sampling.presencePenalty !== 0 || sampling.frequencyPenalty !== 0);
  return {
    temperature: sampling.temperature,
    topK: sampling.topK,
    topP: sampling.topP,
    minP: sampling.minP,
    seed: sampling.seed,
    ...(context.grammar && { grammarEvaluationState: context.grammar }),
    ...(penalized && {
      repeatPenalty: {
        punishTokens: () => context.recent(window),
        maxPunishTokens: window,
        penalty: sampling.repeatPenalty,
        presencePenalty: sampling.presencePenalty,
        frequencyPenalty: sampling.frequencyPenalty,
      },
    }),
    ...(sampling.logitBias.length > 0 && { tokenBias: toTokenBias(sampling.logitBias, context.model) }),
  };
}

/** How many of the last tokens the penalties look at. */
export function penaltyWindow({ repeatLastN }: Sampling, contextLength: number): number {
  return repeatLastN === -1 ? contextLength : repeatLastN;
}

function toTokenBias(biases: Sampling['logitBias'], model: LlamaModel): TokenBias {
  const tokenBias = TokenBias.for(model);
  for (const [token, logit] of biases) tokenBias.set(token as Token, { logit });
  return tokenBias;
}

/** The raw logits of the best tokens in the next place, best first. */
export interface TopLogits {
  tokens: Token[];
  logits: number[];
  /** Sum of exp(logit - highest logit) over the whole vocabulary: the denominator of the softmax. */
  totalWeight: number;
}

/**
 * Evaluates tokens and gives the logits after the last, untouched by any sampler, of the best `count` and of those in
 * `also`. Without `exact` the rest of the vocabulary is left out of the sum, which is several times as fast.
 */
export async function evaluateForLogits(
  sequence: LlamaContextSequence,
  tokens: Token[],
  { count, also, exact }: { count: number; also: Token[]; exact: boolean },
  evaluationPriority: NonNullable<SequenceEvaluateOptions['evaluationPriority']>,
): Promise<TopLogits> {
  const last = tokens.at(-1);
  if (last === undefined) throw new Error('there are no tokens to evaluate');
  const generateNext = {
    token: true,
    totalLogitWeight: true,
    logits: { filter: { tokens: also, includeTop: count } },
    // Neither changes the logits before its draw, which is not used.
    options: exact ? { temperature: 0 } : { temperature: 1, topK: count, topP: 1, minP: 0 },
  };
  const input: ControlledEvaluateInputItem[] = [...tokens.slice(0, -1), [last, { generateNext }]];
  const output = (await sequence.controlledEvaluate(input, { evaluationPriority })).at(-1);
  const logits = output?.next.logits;
  if (!logits) throw new Error('the model gave no logits');
  return { tokens: [...logits.keys()], logits: [...logits.values()], totalWeight: output.next.totalLogitWeight ?? 0 };
}

/** Compiles a GBNF grammar into the state of one reply. Throws a 400 `ApiError` for one that llama.cpp does not take. */
export async function createGrammarState(
  { llama, model }: NativeModel,
  grammar: string,
): Promise<LlamaGrammarEvaluationState> {
  try {
    return new LlamaGrammarEvaluationState({ model, grammar: await llama.createGrammar({ grammar }) });
  } catch {
    throw invalidRequest('The schema makes a grammar that llama.cpp does not take.', null, 'unsupported_schema');
  }
}

export type GrammarState = LlamaGrammarEvaluationState;

/** A grammar asked token by token, for those who sample by themselves. */
export interface GrammarGate {
  allows(token: Token): boolean;
  accept(token: Token): void;
}

/** node-llama-cpp keeps these two to its own samplers; it has no public way to ask a grammar about a token. */
export function createGrammarGate(llama: Llama, state: LlamaGrammarEvaluationState): GrammarGate {
  const { AddonSampler } = Reflect.get(llama, '_bindings') as {
    AddonSampler: {
      canBeNextTokenForGrammarEvaluationState(state: object, token: Token): boolean;
      acceptGrammarEvaluationStateToken(state: object, token: Token): void;
    };
  };
  const native = Reflect.get(state, '_state') as object;
  return {
    allows: (token) => AddonSampler.canBeNextTokenForGrammarEvaluationState(native, token),
    accept: (token) => AddonSampler.acceptGrammarEvaluationStateToken(native, token),
  };
}

/**
 * Copies the KV cache of one slot to another. node-llama-cpp has it for its own use only; its public way is by a file.
 *
 * @returns whether it could; if not, the target is as good as empty
 */
export async function copyCache(
  from: LlamaContextSequence,
  to: LlamaContextSequence,
  tokens: number,
): Promise<boolean> {
  const copy = Reflect.get(to, '_copyStateFromOtherSequence') as (
    this: LlamaContextSequence,
    from: LlamaContextSequence,
    upToTokenIndex: number,
  ) => Promise<boolean>;
  return copy.call(to, from, tokens);
}
