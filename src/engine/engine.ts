import type { ModelTraits } from '../chat/prepare.ts';
import type { ThinkingLimit } from '../chat/thinking-limit.ts';
import type { EngineInfo } from '../contract/engine-info.ts';
import type { EngineEvent } from '../contract/events.ts';
import type { GenerationRequest } from '../contract/generation-request.ts';
import type { Inference } from '../contract/inference.ts';
import type { Media } from '../contract/media.ts';
import type { TextPart } from '../contract/prompt.ts';
import type { ProjectorShape } from '../gguf/projector.ts';
import type { TensorBytes } from '../gguf/tensor-bytes.ts';
import type { GpuRuntime } from './gpu.ts';

/** The use of a model. A chat model writes text, the others turn text into vectors or scores. */
export type ModelKind = 'chat' | 'embedding' | 'rerank';

/** The figures of a model's header from which its memory is estimated. */
export interface ModelShape {
  /** The size of all its files in bytes, with those of the projector and of the LoRA adapters. */
  fileBytes: number;
  layers: number;
  /** The bytes of its tensors, by the parts that can be put on different devices. */
  tensors?: TensorBytes;
  /** Numbers in the KV cache for one token: the keys and values of all layers that attend to all tokens. */
  cachedPerToken: number;
  /**
   * The layers with a sliding window, if there are any: their numbers for one token, and the number of tokens that they
   * look back on.
   */
  window?: { cachedPerToken: number; tokens: number };
  /** The number of its parameters, if it is known. */
  parameterCount?: number;
  /** In a mixture of experts: the bytes of the experts, their number in a layer, and the number that a token uses there. */
  experts?: { bytes: number; count: number; used: number };
  /** The numbers of 32 bits in the recurrent state of a slot, if the model has one. */
  stateNumbers?: number;
  /** True if llama.cpp can keep earlier states of the recurrent state. */
  keepsStates?: boolean;
  embeddingLength: number;
  feedForwardLength: number;
  vocabularySize: number;
  /** In tokens. */
  trainedContextLength: number;
  /** True if its vector is that of the last token. Such a model can read a text in batches. */
  poolsLast: boolean;
  /** The shape of its projector, if it has one, and the size of the projector's file in bytes. */
  projector?: ProjectorShape & { fileBytes: number };
  /** Numbers in the cache of its MTP layer for one token, if the native engine uses that. */
  mtpCachedPerToken?: number;
  /** The shape of its draft model, if it has one. */
  draft?: ModelShape;
  /** The shape of its EAGLE-3 draft model, if it has one. */
  eagle3?: Eagle3Shape;
}

/** The figures of an EAGLE-3 draft model's header from which its memory is estimated. */
export interface Eagle3Shape extends ModelShape {
  /** The number of layers of the model whose inputs it reads. */
  readLayers: number;
  /** True if it takes the embeddings or the output layer of the model. */
  borrows: boolean;
}

/** The GGUF of a LoRA adapter, and the name by which requests refer to it. */
export interface AdapterSource {
  name: string;
  file: string;
}

/** The files of a model, and its use. */
export interface ModelSource {
  /** The model's GGUF file, or its split files in order. */
  files: string[];
  /** The GGUF of its projector, if it has one. A projector turns images or audio into embeddings of the model. */
  projector?: string;
  /** The GGUF of a draft model, which guesses the next tokens of a reply, if it has one. */
  draft?: string;
  /**
   * The GGUF of an EAGLE-3 draft model, which guesses from hidden rows of the model, if it has one. It then has no other draft model.
   * `borrows` is true if it takes the embeddings or the output layer of the model, because it has none.
   */
  eagle3?: { file: string; borrows: boolean };
  /** Given for a model with MTP layers, which guess the next tokens of its replies. `off` says why they are not to be used. */
  mtp?: { off?: string };
  /** The LoRA adapters that requests can have applied. */
  adapters?: AdapterSource[];
  kind: ModelKind;
  /** llama.cpp's number of the format of most weights, `general.file_type` of the header; undefined if it has none. */
  fileType?: number | undefined;
  shape: ModelShape;
  /** A Jinja template that replaces the one in the GGUF. */
  chatTemplate?: string;
  /** Load settings of this model. They override the general ones. */
  loading?: Partial<Pick<EngineOptions, LoadSetting>>;
}

type LoadSetting =
  | 'contextLength'
  | 'slots'
  | 'threads'
  | 'gpuLayers'
  | 'cpuExperts'
  | 'splitMode'
  | 'tensorSplit'
  | 'mainGpu'
  | 'kvType';

/** The settings for loading a model. */
export interface EngineOptions extends Omit<ModelSource, 'shape' | 'loading'> {
  /**
   * The context window of one slot in tokens. null takes the default of `context-length.ts`, as far as memory allows.
   */
  contextLength: number | null;
  /** On a GPU, where `contextLength` is null: the longest window to take if it fits, in tokens. */
  longestContext?: number;
  /** The number of generations that can run at once, each with its whole window. */
  slots: number;
  /**
   * The number of generations that can run at once where all sequences share one cache: together they have the windows of
   * `slots`. By default `slots`.
   */
  mostSlots?: number | undefined;
  /** The number of CPU threads; null lets the engine choose. */
  threads: number | null;
  /** The runtime for the GPU. By default the first available one. */
  gpuRuntime?: GpuRuntime;
  /** The number of layers to put on a GPU. By default as many as fit. Has no effect without a GPU. */
  gpuLayers?: number;
  /**
   * The number of layers, from the first on, whose experts stay in the machine's memory while the rest is on a GPU. By
   * default as many as have to.
   */
  cpuExperts?: number;
  /** How a model is split between several GPUs: not at all, by layers, or by the rows of its matrices. By default by layers. */
  splitMode?: SplitMode;
  /** The shares of the GPUs, in their order. By default their free memory decides. */
  tensorSplit?: number[];
  /** The number of the GPU that computes what is not split. By default the first, 0. */
  mainGpu?: number;
  /** The most tokens in one forward pass, prefill and decode together. */
  batchSize: number;
  /** The most tokens that are computed at once: a larger forward pass is cut. By default a whole batch. */
  microBatch?: number;
  /** True if attention is computed with llama.cpp's flash attention. By default, llama.cpp decides. */
  flashAttention?: boolean | undefined;
  /**
   * The number of earlier states that the native engine keeps of a slot's recurrent state, so that as many guessed tokens
   * can be taken back. By default none.
   */
  states?: number;
  /** The format of the KV cache in the native engine; by default f16. Quantized formats need flash attention. */
  kvType?: KvType | undefined;
  /** True if WebAssembly keeps keys and values as 32-bit floats, which makes long conversations faster. */
  floatCache?: boolean | undefined;
  /** True if the native engine computes with llama.cpp's own kernels, without Paddock's. */
  stockKernels?: boolean;
  /** True if the native engine draws every token by itself, without guesses and forced tokens. */
  oneByOne?: boolean;
}

/** The formats of the keys and values in a KV cache. Their names are ggml's. */
export const KV_TYPES = ['f16', 'bf16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0', 'iq4_nl'] as const;

export type KvType = (typeof KV_TYPES)[number];

/** The ways to split a model between GPUs, as llama.cpp names them. */
export const SPLIT_MODES = ['none', 'layer', 'row'] as const;

export type SplitMode = (typeof SPLIT_MODES)[number];

/** The most GPUs of a machine. */
export const MOST_GPUS = 16;

/** The number of layers with experts in the machine's memory that stands for all of them. */
export const ALL_EXPERTS = 4096;

/** One generation at the level of raw text, as a model itself sees it. */
export interface TextRequest extends Omit<GenerationRequest, 'prompt' | 'replyFormat' | 'thinkingBudget'> {
  /**
   * Text or tokens. Text may spell special tokens. The engine adds a beginning-of-sequence token if the model wants
   * one.
   */
  prompt: string | number[] | TextPart[];
  /** The image or recording for each `MEDIA_MARK` of the prompt, in order. */
  media: Media[];
  /** A GBNF grammar that the reply must match; null allows any text. */
  grammar: string | null;
  /** Special tokens that appear as text in the reply. All others are left out. */
  marks: string[];
  /** True if the prompt ends within a message or a text: the reply may begin with a space. */
  continues?: true;
  /** The limit of each block of reasoning in the reply. Absent for no limit. */
  thinking?: ThinkingLimit;
  /**
   * The request may only reuse cached tokens of requests with the same scope. All requests without a scope share one.
   */
  cacheScope?: string;
}

/**
 * One loaded model at the level of raw text. The engines `native` and `wasm` implement this and know nothing of each
 * other. Never run more generations at once than `info.slots`. Disposing does not wait for running generations: cancel
 * them first.
 */
export interface TextEngine extends Inference<TextRequest, EngineEvent>, AsyncDisposable {
  readonly info: EngineInfo;
  readonly traits: ModelTraits;
}
