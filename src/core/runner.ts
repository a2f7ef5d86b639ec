import type { GenerationEvent } from './events.ts';

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A conversation turn as the engines take it: roles are validated and the parts of a content joined. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

/** How the next token is chosen; every field is resolved, none is optional. The definitions are llama.cpp's. */
export interface Sampling {
  /** 0 is greedy. */
  temperature: number;
  topP: number;
  /** 0 considers every token. */
  topK: number;
  minP: number;
  typicalP: number;
  repeatPenalty: number;
  /** Window of the three penalties, in tokens of prompt and reply. 0 switches them off, -1 is the whole context. */
  repeatLastN: number;
  presencePenalty: number;
  frequencyPenalty: number;
  dynatempRange: number;
  dynatempExponent: number;
  mirostat: 0 | 1 | 2;
  mirostatTau: number;
  mirostatEta: number;
  /** Unsigned 32-bit. */
  seed: number;
  logitBias: [token: number, bias: number][];
}

/** One chat generation, ready for an engine. Plain data: it crosses threads and processes. */
export interface GenerationRequest {
  messages: ChatMessage[];
  sampling: Sampling;
  stop: string[];
  /** Tokens; null means up to the end of the context window. */
  maxTokens: number | null;
  /** Whether the prompt may be served from the KV cache. */
  cachePrompt: boolean;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
}

/** Takes the events of one generation as they happen. */
export type Emit = (event: GenerationEvent) => void;

export type BackendName = 'gpu' | 'cpu' | 'wasm';

/** What is known of a model once an engine holds it. */
export interface EngineInfo {
  backend: BackendName;
  /** The device's own name, or the kind of build. */
  device: string;
  /** Context window of one slot, in tokens. */
  contextLength: number;
  /** Context window that the model was trained with, in tokens. */
  trainedContextLength: number;
  /** Generations that run at once. */
  slots: number;
  gpuLayers: number;
  threads: number;
}

/** A loaded model's engine and how busy it is. */
export interface LoadedModel {
  id: string;
  engine: EngineInfo;
  /** Why a better backend than `engine.backend` was passed over; empty when none was. */
  fallbackReasons: string[];
  /** Generations that run now. */
  busy: number;
  /** Generations that wait for a slot. */
  waiting: number;
}

/** The one port through which the API asks for inference. */
export interface Runner {
  /**
   * Runs one generation on a model, loading it first if need be. Ending the iteration early or aborting cancels it.
   * The iteration throws `ApiError` for what the caller may know: an overloaded queue, a parameter that the engine lacks.
   */
  generate(modelId: string, request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;

  /** The models that are loaded now. */
  loaded(): LoadedModel[];
}
