import {
  getLlama,
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaEmbeddingContext,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  type LlamaModel,
  type LlamaRankingContext,
  NoBinaryFoundError,
  type Token,
} from 'node-llama-cpp';
import { invalidRequest } from '../../../contract/errors.ts';
import type { Log } from '../../../contract/log.ts';
import type { Sampling } from '../../../contract/sampling.ts';
import { toBiases } from '../../../sampling/penalties.ts';
import { formatBytes } from '../../../utils/bytes.ts';
import { defaultContextLength } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import { InsufficientMemory } from '../../memory-estimate.ts';
import { usableCores } from '../../node/cores.ts';
import type { WorkerConfig } from '../../node/task.ts';

// Only this module and `probe.ts`, which looks for a GPU, import node-llama-cpp.

/** The types of node-llama-cpp that the engine uses. */
export type { Llama, LlamaContext, LlamaEmbeddingContext, LlamaModel, LlamaRankingContext, Token };

/** A loaded model and its runtime. */
export interface NativeModel {
  llama: Llama;
  model: LlamaModel;
}

/**
 * Loads a model with the prebuilt binaries. Throws a plain error if there is no binary or no GPU, and
 * `InsufficientMemory` if there is too little memory: on the GPU, which takes as many layers as fit, or in the machine,
 * which takes the others.
 */
export async function loadNativeModel(
  { files, gpuRuntime, gpuLayers, threads }: EngineOptions,
  backend: 'gpu' | 'cpu',
  log: Log,
  memory: WorkerConfig['memory'],
): Promise<NativeModel> {
  const llama = await getLlama({
    build: 'never',
    gpu: backend === 'gpu' ? (gpuRuntime ?? 'auto') : false,
    // node-llama-cpp's default is at least four threads. On two cores these would wait for one another.
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
 * Throws an error with the reason if a GPU's binaries load but there is no device with memory: with Mesa's Vulkan and
 * no usable GPU, everything would run on the CPU under another name.
 */
export async function refuseNoDevice(llama: Pick<Llama, 'gpu' | 'getGpuDeviceNames' | 'getVramState'>): Promise<void> {
  if (llama.gpu === false) throw new Error('no GPU that the prebuilt binaries can use was found');
  const names = await llama.getGpuDeviceNames();
  if (names.length === 0) throw new Error('it is installed, but offers no device');
  const { total } = await llama.getVramState();
  if (total === 0) throw new Error(`${llama.gpu} offers ${names.join(', ')}, but no memory on it`);
}

/** Throws `InsufficientMemory` if a model needs more than the GPU's and the machine's memory together. */
export async function refuseHopeless(
  llama: Pick<Llama, 'getVramState'>,
  { needed, available }: WorkerConfig['memory'],
): Promise<void> {
  const { free, unifiedSize } = await llama.getVramState();
  // Memory that the GPU shares with the machine counts once.
  const most = available + Math.max(0, free - unifiedSize);
  if (needed > most) {
    throw new InsufficientMemory(`the model needs ${formatBytes(needed)}, GPU and machine have ${formatBytes(most)}`);
  }
}

/**
 * Translates two errors of node-llama-cpp: too little memory, and a missing binary. Returns all other errors unchanged.
 */
export function inOurWords(error: unknown): unknown {
  if (error instanceof NoBinaryFoundError)
    return new Error('no native binary of llama.cpp is installed', { cause: error });
  return error instanceof InsufficientMemoryError ? new InsufficientMemory(error.message) : error;
}

/** True if a sequence can always drop its latest tokens. A model with recurrent state or a sliding window cannot. */
export function canRewind({ model: { fileInsights } }: NativeModel): boolean {
  return fileInsights.swaSize === undefined && !fileInsights.isRecurrent && !fileInsights.isHybrid;
}

/**
 * Makes the context of a chat model. It has a sequence for each slot, all in one batch. Throws what node-llama-cpp
 * throws.
 */
export function createContext(model: LlamaModel, options: EngineOptions): Promise<LlamaContext> {
  return model.createContext({
    sequences: options.slots,
    batchSize: Math.max(options.batchSize, options.slots),
    flashAttention: options.flashAttention ?? 'auto',
    ...contextOptions(model, options),
  });
}

/** The default context window of a chat model, in tokens. */
export function chatLength({ trainContextSize: trained }: LlamaModel): number {
  return defaultContextLength({ backend: 'cpu', kind: 'chat', trained });
}

/** The context options that all kinds of model share. */
export function contextOptions(model: LlamaModel, { contextLength, longestContext, threads }: EngineOptions) {
  return {
    contextSize: contextLength ?? { max: longestContext ?? chatLength(model) },
    threads: threads ?? usableCores().count,
  };
}

/** A chain of llama.cpp's samplers: a private part of node-llama-cpp. */
export interface AddonSampler {
  applyConfig(config: SamplerConfig): void;
  dispose(): void;
}

interface SamplerConfig {
  temperature: number;
  topK?: number;
  topP?: number;
  minP?: number;
  seed?: number;
  repeatPenalty?: number;
  repeatPenaltyMaxTokens?: number;
  repeatPenaltyTokens?: Uint32Array;
  repeatPenaltyPresencePenalty?: number;
  repeatPenaltyFrequencyPenalty?: number;
  tokenBiasKeys?: Uint32Array;
  tokenBiasValues?: Float32Array;
  grammarEvaluationState?: object;
}

/** Makes a chain of samplers. It has to be disposed. */
export function createAddonSampler({ llama, model }: NativeModel): AddonSampler {
  const { AddonSampler } = Reflect.get(llama, '_bindings') as { AddonSampler: new (model: object) => AddonSampler };
  return new AddonSampler(Reflect.get(model, '_model') as object);
}

/** Returns the configuration of llama.cpp's samplers. `recent` has the latest tokens of prompt and reply. */
export function toSamplerConfig(sampling: Sampling, contextLength: number, recent: Token[]): SamplerConfig {
  const window = penaltyWindow(sampling, contextLength);
  const penalized =
    window > 0 && (sampling.repeatPenalty !== 1 || sampling.presencePenalty !== 0 || sampling.frequencyPenalty !== 0);
  return {
    temperature: sampling.temperature,
    topK: sampling.topK,
    topP: sampling.topP,
    minP: sampling.minP,
    seed: sampling.seed,
    ...(penalized && {
      repeatPenaltyTokens: Uint32Array.from(recent.slice(-window)),
      repeatPenaltyMaxTokens: window,
      repeatPenalty: sampling.repeatPenalty,
      repeatPenaltyPresencePenalty: sampling.presencePenalty,
      repeatPenaltyFrequencyPenalty: sampling.frequencyPenalty,
    }),
    ...(sampling.logitBias.length > 0 && {
      tokenBiasKeys: Uint32Array.from(toBiases(sampling.logitBias).keys()),
      tokenBiasValues: Float32Array.from(toBiases(sampling.logitBias).values()),
    }),
  };
}

/**
 * Returns the number of latest tokens to which the penalties apply, at most the context window: llama.cpp reserves
 * memory for all of them, and a request may ask for any number.
 */
export function penaltyWindow({ repeatLastN }: Pick<Sampling, 'repeatLastN'>, contextLength: number): number {
  return repeatLastN === -1 ? contextLength : Math.min(repeatLastN, contextLength);
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

/** How far a reply has come in its grammar. */
export type GrammarState = LlamaGrammarEvaluationState;

/** Returns the state that the addon's samplers need: a private part of node-llama-cpp. */
export function nativeState(grammar: GrammarState): object {
  return Reflect.get(grammar, '_state') as object;
}

/** Checks single tokens against a grammar, for Paddock's own samplers. */
export interface GrammarGate {
  readonly state: GrammarState;
  /** Returns true if this token may come next. */
  allows(token: Token): boolean;
  /** Moves the state on by a token of the reply. */
  accept(token: Token): void;
}

/** Makes a gate from two private functions of node-llama-cpp, which has no public ones to check a token. */
export function createGrammarGate(llama: Llama, state: LlamaGrammarEvaluationState): GrammarGate {
  const { AddonSampler } = Reflect.get(llama, '_bindings') as {
    AddonSampler: {
      canBeNextTokenForGrammarEvaluationState(state: object, token: Token): boolean;
      acceptGrammarEvaluationStateToken(state: object, token: Token): void;
    };
  };
  const native = nativeState(state);
  return {
    state,
    allows: (token) => AddonSampler.canBeNextTokenForGrammarEvaluationState(native, token),
    accept: (token) => AddonSampler.acceptGrammarEvaluationStateToken(native, token),
  };
}
