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
import { formatBytes } from '../../core/bytes.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Sampling } from '../../core/runner.ts';
import { defaultContextLength } from '../context-length.ts';
import type { EngineOptions } from '../engine.ts';
import { InsufficientMemory } from '../memory-estimate.ts';
import { usableCores } from '../node/cores.ts';
import type { WorkerConfig } from '../node/task.ts';

/**
 * This module is the engine's only access to node-llama-cpp, except for `probe.ts`, which looks for backends. These are
 * the types that the engine uses.
 */
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
 * Loads a model with the prebuilt binaries. Throws a plain error if there is no binary or no GPU, and
 * `InsufficientMemory` if there is too little memory: on the GPU, which takes as many layers as fit, or in the machine,
 * which takes the others.
 */
export async function loadModel(
  { files, gpuLayers, threads }: EngineOptions,
  backend: 'gpu' | 'cpu',
  log: Log,
  memory: WorkerConfig['memory'],
): Promise<NativeModel> {
  const llama = await getLlama({
    build: 'never',
    gpu: backend === 'gpu' ? 'auto' : false,
    // Its own default is four at least, also where there are two cores, which then wait for one another.
    maxThreads: threads ?? usableCores().count,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => log.debug(message.trim(), { source: 'llama.cpp', level }),
  }).catch((error: unknown) => {
    throw inOurWords(error);
  });
  try {
    if (backend === 'gpu') await refuseNoDevice(llama);
    if (backend === 'gpu') await refuseHopeless(llama, memory);
    const [modelPath] = files;
    if (!modelPath) throw new Error('the model has no files');
    const layers = backend === 'cpu' ? 0 : gpuLayers;
    const model = await llama.loadModel({ modelPath, ...(layers !== undefined && { gpuLayers: layers }) });
    if (backend === 'gpu' && model.gpuLayers === 0 && gpuLayers !== 0) {
      await model.dispose();
      throw new Error(
        `${llama.gpu}: no layer of the model fits the memory of ${(await llama.getGpuDeviceNames()).join(', ')}`,
      );
    }
    return { llama, model };
  } catch (error) {
    await llama.dispose();
    throw inOurWords(error);
  }
}

/**
 * Frees a model and its runtime. The model goes first: if the garbage collector takes a model that was not disposed,
 * `llama.dispose()` waits for it for ever.
 */
export async function unloadModel({ llama, model }: NativeModel): Promise<void> {
  await model.dispose();
  await llama.dispose();
}

/**
 * Throws where the binaries for a GPU load, but there is no device to compute on: with Mesa's Vulkan and no usable GPU
 * everything would run on the CPU under another name.
 */
export async function refuseNoDevice(llama: Pick<Llama, 'gpu' | 'getGpuDeviceNames' | 'getVramState'>): Promise<void> {
  if (llama.gpu === false) throw new Error('no GPU that the prebuilt binaries can use was found');
  const names = await llama.getGpuDeviceNames();
  if (names.length === 0) throw new Error(`${llama.gpu} is installed, but it offers no device`);
  const { total } = await llama.getVramState();
  if (total === 0) throw new Error(`${llama.gpu} offers ${names.join(', ')}, but no memory on it`);
}

/** Throws `InsufficientMemory` for a model that GPU and machine together can't hold. */
export async function refuseHopeless(
  llama: Pick<Llama, 'getVramState'>,
  { needed, available }: WorkerConfig['memory'],
): Promise<void> {
  const { free, unifiedSize } = await llama.getVramState();
  // Memory that both share counts once.
  const most = available + Math.max(0, free - unifiedSize);
  if (needed > most) {
    throw new InsufficientMemory(`the model needs ${formatBytes(needed)}, GPU and machine have ${formatBytes(most)}`);
  }
}

/**
 * Translates two errors of node-llama-cpp: too little memory, and a missing binary, for which it gives no reason.
 * Others stay as they are.
 */
export function inOurWords(error: unknown): unknown {
  if (error instanceof NoBinaryFoundError)
    return new Error('no native binary of llama.cpp is installed', { cause: error });
  return error instanceof InsufficientMemoryError ? new InsufficientMemory(error.message) : error;
}

/** Makes the context of a chat model. It has a sequence for each slot, all in one batch. */
export function createContext(model: LlamaModel, options: EngineOptions): Promise<LlamaContext> {
  return model.createContext({
    sequences: options.slots,
    batchSize: Math.max(options.batchSize, options.slots),
    batching: { itemPrioritizationStrategy: inSlotOrder },
    ...contextOptions(model, options),
  });
}

/** The default context window of a chat model, in tokens. */
export function chatLength({ trainContextSize: trained }: LlamaModel): number {
  return defaultContextLength({ backend: 'cpu', kind: 'chat', trained });
}

/** The context options that all kinds of model share. */
export function contextOptions(model: LlamaModel, { contextLength, threads }: EngineOptions) {
  return {
    contextSize: contextLength ?? { max: chatLength(model) },
    threads: threads ?? usableCores().count,
  };
}

/**
 * Orders the batch by slot, because llama.cpp only puts tokens of consecutive, ascending sequence ids into one
 * micro-batch. The slot's number is passed as the evaluation priority, the only value that an item carries through.
 */
const inSlotOrder: CustomBatchingPrioritizationStrategy = ({ items }) =>
  [...items]
    .sort((a, b) => a.evaluationPriority - b.evaluationPriority)
    .map((item) => ({ item, processAmount: item.tokens.length }));

/** Turns a slot's number into node-llama-cpp's priority. Its type allows 1 to 5, but every number works. */
export function slotPriority(slot: number): NonNullable<SequenceEvaluateOptions['evaluationPriority']> {
  return slot as NonNullable<SequenceEvaluateOptions['evaluationPriority']>;
}

/** What sampling needs besides the sampling settings. */
export interface SamplingContext {
  model: LlamaModel;
  contextLength: number;
  grammar: LlamaGrammarEvaluationState | undefined;
  /** Returns the last `count` tokens of prompt and reply. */
  recent: (count: number) => Token[];
}

/** Turns the sampling settings into node-llama-cpp's options. */
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

/**
 * The number of latest tokens to which the penalties apply: never more than the context holds. llama.cpp reserves memory for all
 * of them, and a request may ask for any number.
 */
export function penaltyWindow({ repeatLastN }: Pick<Sampling, 'repeatLastN'>, contextLength: number): number {
  return repeatLastN === -1 ? contextLength : Math.min(repeatLastN, contextLength);
}

function toTokenBias(biases: Sampling['logitBias'], model: LlamaModel): TokenBias {
  const tokenBias = TokenBias.for(model);
  for (const [token, logit] of biases) tokenBias.set(token as Token, { logit });
  return tokenBias;
}

/** The raw logits of the best tokens for the next position, the best first. */
export interface TopLogits {
  tokens: Token[];
  logits: number[];
  /** The sum of exp(logit - highest logit) over the whole vocabulary, which is the denominator of the softmax. */
  totalWeight: number;
}

/**
 * Evaluates tokens and returns the logits after the last one, before any sampler: those of the best `count` tokens and
 * of the tokens in `also`. Without `exact`, the sum leaves out the rest of the vocabulary, which is several times
 * faster.
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
    // Neither option changes the logits. They only affect a draw that is not used.
    options: exact ? { temperature: 0 } : { temperature: 1, topK: count, topP: 1, minP: 0 },
  };
  const input: ControlledEvaluateInputItem[] = [...tokens.slice(0, -1), [last, { generateNext }]];
  const output = (await sequence.controlledEvaluate(input, { evaluationPriority })).at(-1);
  const logits = output?.next.logits;
  if (!logits) throw new Error('the model gave no logits');
  return { tokens: [...logits.keys()], logits: [...logits.values()], totalWeight: output.next.totalLogitWeight ?? 0 };
}

/**
 * Evaluates tokens and returns the logits after each of them: those of the best `count` tokens, at least one, and of the token
 * in `following`.
 */
export async function evaluateForScores(
  sequence: LlamaContextSequence,
  tokens: Token[],
  following: Token[],
  count: number,
  evaluationPriority: NonNullable<SequenceEvaluateOptions['evaluationPriority']>,
): Promise<TopLogits[]> {
  const input = tokens.map((token, index): ControlledEvaluateInputItem => {
    const filter = { tokens: following.slice(index, index + 1), includeTop: Math.max(1, count) };
    const generateNext = { token: true, totalLogitWeight: true, logits: { filter }, options: { temperature: 0 } };
    return [token, { generateNext }];
  });
  const outputs = await sequence.controlledEvaluate(input, { evaluationPriority });
  return tokens.map((_, index) => {
    const { logits, totalLogitWeight = 0 } = outputs[index]?.next ?? {};
    if (!logits) throw new Error('the model gave no logits');
    return { tokens: [...logits.keys()], logits: [...logits.values()], totalWeight: totalLogitWeight };
  });
}

/** Compiles a GBNF grammar into the state of one reply. Throws a 400 `ApiError` if llama.cpp does not accept it. */
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

/** Asks a grammar about single tokens. Paddock's own samplers need this. */
export interface GrammarGate {
  allows(token: Token): boolean;
  accept(token: Token): void;
}

/** Makes a gate from two private functions of node-llama-cpp. It has no public way to ask a grammar about a token. */
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
 * Copies the first `tokens` tokens of one sequence's KV cache to another with a private function of node-llama-cpp. The
 * public way goes through a file.
 *
 * @returns false if it could not; then treat the target as empty
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
