import type { GenerationEvent } from './events.ts';
import type { JsonSchema } from './grammar/json-schema.ts';
import type { Media } from './media.ts';
import type { SamplingKey } from './sampling/fields.ts';
import type { Tool } from './tool.ts';
import type { CallContext } from './wire.ts';

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A conversation turn as the engines take it: roles are validated and the parts of a content joined. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  /** What stands at each `MEDIA_MARK` of the content. */
  media?: Media[];
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

/** How the next token is chosen: the fields of the table, all with their values. */
export interface Sampling extends Record<SamplingKey, number> {
  /** Unsigned 32-bit. */
  seed: number;
  logitBias: [token: number, bias: number][];
}

/** Whether and which tools the model must call. */
export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/** A conversation to continue. The model's template turns it into text, its format tells calls and reasoning apart. */
export interface ChatPrompt {
  kind: 'chat';
  messages: ChatMessage[];
  tools: Tool[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
}

/** What to continue: a conversation, a text as it stands, tokens, or the gap between two texts. */
export type Prompt =
  | ChatPrompt
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokens: number[] }
  | { kind: 'infill'; prefix: string; suffix: string };

/** What the reply must be: anything, any JSON object, or JSON of a schema. */
export type ReplyFormat = { kind: 'text' } | { kind: 'json' } | { kind: 'schema'; schema: JsonSchema; param: string };

/** One generation as the API asks for it. Plain data: it crosses threads and processes. */
export interface GenerationRequest {
  prompt: Prompt;
  replyFormat: ReplyFormat;
  sampling: Sampling;
  stop: string[];
  /** Texts that must not be said; case does not matter. */
  banned: string[];
  /** Tokens of one choice; null means up to the end of the context window. */
  maxTokens: number | null;
  /** Whether the prompt may be served from the KV cache. */
  cachePrompt: boolean;
  /** Replies to the one prompt, each of a seed of its own. */
  choices: number;
  /** How many of the likeliest alternatives to tell with each token; null tells nothing, 0 the token's own alone. */
  logprobs: number | null;
}

/** What an engine can be asked besides generations, each with its question and its answer. Plain data. */
export interface Questions {
  /** The vector of each input, in order, of length 1, and the tokens of all inputs. */
  embed: { question: { inputs: (string | number[])[] }; answer: { vectors: number[][]; tokens: number } };
  /** How relevant each document is to the query, 0 to 1, in order. */
  rerank: { question: { query: string; documents: string[] }; answer: { scores: number[]; tokens: number } };
  /** The tokens of a text, special ones included where it spells them, and the text of each on its own. */
  tokenize: { question: { text: string; addSpecial: boolean }; answer: { tokens: number[]; pieces: string[] } };
  detokenize: { question: { tokens: number[] }; answer: { text: string } };
}

export type QuestionKind = keyof Questions;

/** Takes the events of one generation as they happen. */
export type Emit = (event: GenerationEvent) => void;

export type BackendName = 'gpu' | 'cpu' | 'wasm';

/** What is known of a model once an engine holds it. */
export interface EngineInfo {
  backend: BackendName;
  /** The package that runs it. */
  runtime: 'node-llama-cpp' | 'wllama';
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
  /** Bytes that it takes, by estimate. */
  memory: number;
  /** Generations that run now. */
  busy: number;
  /** Generations that wait for a slot, or for the model to take them in. */
  waiting: number;
}

/** A model on its way into memory or out of it. */
export interface MovingModel {
  id: string;
  /** `queued` waits for others to give it room. */
  state: 'queued' | 'loading' | 'unloading';
  /** Requests that wait for it. */
  waiting: number;
}

/** Many models, each asked for by its id: the one port through which the API asks for inference. */
export interface Runner {
  /**
   * Runs one generation on a model, loading it first if need be. Ending the iteration early or aborting cancels it.
   * The iteration throws an `ApiError` for what the caller may know: a full queue, a parameter that the engine lacks.
   */
  generate(modelId: string, request: GenerationRequest, context: CallContext): AsyncIterable<GenerationEvent>;

  /** Asks a model a question, loading it first if need be. Throws as `generate` does, and a 400 where it can't answer. */
  ask<K extends QuestionKind>(
    modelId: string,
    kind: K,
    question: Questions[K]['question'],
    context: CallContext,
  ): Promise<Questions[K]['answer']>;

  /** The models that are loaded now. */
  loaded(): LoadedModel[];

  /** The models that are about to be loaded, or to be gone. */
  moving(): MovingModel[];
}
