import type { TextPart } from './chat/literal-text.ts';
import type { GenerationEvent, TextDelta, TokenLogprob } from './events.ts';
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

/** A message of a conversation, as engines take it: the role is validated, and the content parts are joined. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  /** The image or recording for each `MEDIA_MARK` of the content, in order. */
  media?: Media[];
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  /** What the model thought before it wrote this message. Templates that know reasoning read it. */
  reasoning_content?: string;
}

/** The sampling settings: all fields of the table in `sampling/fields.ts`, each with a value. */
export interface Sampling extends Record<SamplingKey, number> {
  /** Unsigned 32-bit. */
  seed: number;
  /** True if the request names no seed: another random number for a token is as good. */
  anySeed?: true;
  logitBias: [token: number, bias: number][];
}

/** Which tools the model may or must call. */
export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/**
 * A conversation to continue. The model's chat template turns it into text; its chat format finds calls and reasoning
 * in the reply.
 */
export interface ChatPrompt {
  kind: 'chat';
  messages: ChatMessage[];
  /** True if the reply goes on with the last message, which is the model's own, has words and calls nothing. */
  continues?: boolean;
  tools: Tool[];
  /** The client's field with the schema of each tool, for errors. The default is where OpenAI's chats have it. */
  toolParams?: string[];
  toolChoice: ToolChoice;
  /** The names of the tools that may be called, where not all of `tools` may. The model is shown all of them. */
  allowedTools?: string[];
  parallelToolCalls: boolean;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
}

/** The prompt to continue: a conversation, plain text, tokens, or the gap between two texts. */
export type Prompt =
  | ChatPrompt
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokens: number[] }
  | { kind: 'infill'; prefix: string; suffix: string };

/**
 * The form that the reply must have: any text, any JSON object, or JSON that matches a schema. `param` is the field
 * that has the schema; errors name it.
 */
export type ReplyFormat = { kind: 'text' } | { kind: 'json' } | { kind: 'schema'; schema: JsonSchema; param: string };

/** One generation, as the API asks for it. Plain data, so that it can cross threads and processes. */
export interface GenerationRequest {
  prompt: Prompt;
  replyFormat: ReplyFormat;
  sampling: Sampling;
  stop: string[];
  /**
   * Texts that end the reply with `content_filter` if they occur in the prompt or in the reply. Case does not matter.
   */
  banned: string[];
  /** The most tokens of one choice; null allows as many as the context window holds. */
  maxTokens: number | null;
  /** True if the prompt may use tokens that are already in the KV cache. */
  cachePrompt: boolean;
  /**
   * The client's name for its conversation. Of equally good places for the prompt, that of the latest request with the same name is
   * taken: what lies there is likely an older state of the same conversation, which nobody needs any more.
   */
  cacheKey?: string;
  /** The number of replies to the prompt. Each has its own seed. */
  choices: number;
  /**
   * The number of most likely alternatives to return with each token. 0 returns only the token's own probability; null
   * returns no probabilities.
   */
  logprobs: number | null;
  /** Asks for the log probabilities of the prompt's tokens as well. Nothing is taken from the KV cache then. */
  promptLogprobs?: true;
  /** Whether to say with each event how far the generation has come, so that another engine can take it up. */
  journal?: boolean;
  /** How far an engine that died had come with each choice, in order. What it said is not said again. */
  resume?: ResumedChoice[];
}

/** A choice that another engine had begun. */
export interface ResumedChoice {
  /** The number of tokens drawn. */
  count: number;
  /** What an engine said that does not tell its tokens. */
  said: TextDelta[];
  /** The tokens of one that does. */
  tokens: number[];
  /** Of each token in `tokens`, where the request asks for log probabilities. */
  logprobs: TokenLogprob[];
  /** Whether the choice is complete; nothing more is said of it. */
  finished: boolean;
}

/** The text of one token, in llama-server's form: its bytes where they are no whole characters. */
export type TokenPiece = string | number[];

/** The questions that an engine can be asked besides generations, each with its answer. Plain data. */
export interface Questions {
  /** Returns the vector of each input, in order, scaled to length 1, and the token count of all inputs together. */
  embed: { question: { inputs: (string | number[])[] }; answer: { vectors: number[][]; tokens: number } };
  /**
   * Returns the relevance of each document to the query, from 0 to 1 and in the order of the documents, and the token
   * count of all.
   */
  rerank: { question: { query: string; documents: string[] }; answer: { scores: number[]; tokens: number } };
  /** Returns the tokens of a text and the text of each. If the text spells a special token, that becomes one token. */
  tokenize: { question: { text: string; addSpecial: boolean }; answer: { tokens: number[]; pieces: TokenPiece[] } };
  detokenize: { question: { tokens: number[] }; answer: { text: string } };
  /** Returns how many tokens the prompt of a request has. Images and recordings count as none. */
  countPrompt: { question: GenerationRequest; answer: { tokens: number } };
  /** Returns how many tokens a prompt has that is rendered already. Engines answer it for `countPrompt`. */
  countTokens: { question: { prompt: string | number[] | TextPart[] }; answer: { tokens: number } };
}

export type QuestionKind = keyof Questions;

/** Receives the events of one generation as they happen. */
export type Emit = (event: GenerationEvent) => void;

export type BackendName = 'gpu' | 'cpu' | 'wasm';

/** The facts about a model that are known once an engine has loaded it. */
export interface EngineInfo {
  backend: BackendName;
  /** The npm package that runs it. */
  runtime: 'node-llama-cpp' | 'wllama';
  /** The name of the device, or the kind of build. */
  device: string;
  /** Context window of one slot, in tokens. */
  contextLength: number;
  /** The context window that the model was trained with, in tokens. */
  trainedContextLength: number;
  /** The number of generations that can run at once. */
  slots: number;
  gpuLayers: number;
  threads: number;
  /** Why so many threads; for the log. */
  threadsReason?: string;
}

/** A loaded model's engine and how busy it is. */
export interface LoadedModel {
  id: string;
  engine: EngineInfo;
  /** The reasons why better backends were passed over; empty if there is none. */
  fallbackReasons: string[];
  /** The estimated memory of the model, in bytes. */
  memory: number;
  /** Slots that are taken now. */
  busy: number;
  /** Requests that wait for a slot, or to enter the model. */
  waiting: number;
  /** Tokens of the running generations in the KV caches of all slots. Absent where the platform does not count them. */
  heldTokens?: number;
  /** When the model leaves memory if nobody uses it until then, in Unix ms; null or absent if it is in use or stays. */
  expiresAt?: number | null;
}

/** In bytes. Both together are what a model can have at most, once the others have left. */
export interface MemoryForModels {
  /** What is free, or can be freed at once. */
  available: number;
  /** What models hold. */
  held: number;
}

/** A model that waits to be loaded, is being loaded or is being unloaded. */
export interface MovingModel {
  id: string;
  /** `queued` means that the model waits for memory that other models hold. */
  state: 'queued' | 'loading' | 'unloading';
  /** Requests that wait for it. */
  waiting: number;
}

/** Says which models are in memory, and how long. */
export interface Residency {
  /** Resolves when the model is loaded. Throws as `generate` does, and a 500 `ApiError` after an abort. */
  load(modelId: string, signal: AbortSignal): Promise<void>;
  /** Unloads a model once nobody uses it, even one that was to stay for ever. Returns false if it is not loaded. */
  unload(modelId: string): boolean;
  /** Says how long a loaded model stays after its last use, in ms; 0 unloads it, null keeps it until others need its room. */
  keep(modelId: string, ms: number | null): void;
}

/** Runs inference on many models, each named by its id. It is the only way in which the API reaches the models. */
export interface Runner {
  /**
   * Runs one generation on a model and loads the model first if needed. Ending the iteration early, or an abort,
   * cancels the generation. The iteration throws an `ApiError` for everything that clients may know, such as a full
   * queue or a parameter that the engine does not support.
   */
  generate(modelId: string, request: GenerationRequest, context: CallContext): AsyncIterable<GenerationEvent>;

  /**
   * Asks a model a question and loads the model first if needed. Throws as `generate` does, and a 400 `ApiError` if the
   * model can't answer.
   */
  ask<K extends QuestionKind>(
    modelId: string,
    kind: K,
    question: Questions[K]['question'],
    context: CallContext,
  ): Promise<Questions[K]['answer']>;

  /** Loads and unloads models without a request to them. Absent if this platform can't. */
  residency?: Residency;

  /** The models that are loaded now. */
  loaded(): LoadedModel[];

  /** The models that wait to be loaded, are being loaded or are being unloaded. */
  moving(): MovingModel[];

  /** The memory for models. Absent where the platform does not tell it. */
  memory?(): MemoryForModels;
}
