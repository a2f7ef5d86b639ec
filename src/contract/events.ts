import type { Violation } from './violation.ts';

/** The reason why a choice ended, by OpenAI's names. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** The progress of the prefill. Counts are in tokens; `processed` includes `cache`. */
export interface PromptProgress {
  kind: 'progress';
  /** Prompt tokens that were already in the KV cache. */
  cache: number;
  processed: number;
  total: number;
  timeMs: number;
  /**
   * The tokens of the prompt. Present once all of them are evaluated, if the request asks for their log probabilities.
   */
  logprobs?: TokenLogprob[];
}

/** A token of the reply with its log probability: the natural logarithm of its probability before any sampler. */
export interface TokenLogprob {
  text: string;
  /** The token's UTF-8 bytes. They may be a part of a character. */
  bytes: number[];
  /** NaN for the first token of a prompt that has no other token before it. */
  logprob: number;
  /** The most likely tokens for this position, the most likely first. */
  alternatives: { text: string; bytes: number[]; logprob: number }[];
}

/** A piece of a choice's reply. It has whole UTF-8 characters only, and no stop sequence. */
export interface TextDelta {
  kind: 'text';
  choice: number;
  text: string;
  /**
   * The number of tokens drawn since the previous text event of the choice. Absent if the engine does not count them.
   */
  tokens?: number;
  /** The tokens since the previous text event, if the request asks for logprobs. */
  logprobs?: TokenLogprob[];
  /**
   * The number of tokens of the choice so far. Present if the request asks for a journal and the engine reports no
   * single tokens.
   */
  soFar?: number;
}

/** A piece of the model's reasoning, which it writes before the answer. */
export interface ReasoningDelta {
  kind: 'reasoning';
  choice: number;
  text: string;
}

/** The beginning of a tool call. `index` counts the calls of the choice from 0. */
export interface ToolCallStart {
  kind: 'toolCall';
  choice: number;
  index: number;
  name: string;
}

/** A piece of a tool call's arguments. All pieces together are the JSON text of one object. */
export interface ToolArgumentsDelta {
  kind: 'toolArguments';
  choice: number;
  index: number;
  text: string;
}

/** A keyword of a schema that the reply violates, because no grammar can enforce the keyword. */
export interface ReplyViolation extends Violation {
  /** The index of the tool call whose arguments violate their schema. Absent if the reply itself is the JSON. */
  call?: number;
}

/** The choice is complete. It has no further events. */
export interface ChoiceFinished {
  kind: 'finish';
  choice: number;
  reason: FinishReason;
  /** The stop sequence that ended the choice. Absent if the choice ended otherwise. */
  stopSequence?: string;
  /** As in `TextDelta`. */
  soFar?: number;
  /** The keywords of its schemas that the choice violates. Absent if there are none. */
  violations?: ReplyViolation[];
}

/** The engine crashed, and another engine continues the generation. No text is sent twice. */
export interface GenerationPaused {
  kind: 'pause';
  /** A text for the client. Streams carry it as a comment. */
  reason: string;
}

/** The prompt alone does not fit the context window; nothing is generated and no other event follows. */
export interface PromptOverflow {
  kind: 'overflow';
  promptTokens: number;
  contextLength: number;
}

/** The sources of the prompt tokens that were not evaluated, because they were cached. Counts are in tokens. */
export interface CacheUse {
  /** Tokens that were in the KV cache of the slot itself. */
  slot: number;
  /** Tokens copied from another slot. */
  copied: number;
  /** Tokens loaded from a copy in memory. */
  ram: number;
  /** Tokens loaded from a copy on disk. */
  disk: number;
  /** The reason why no more tokens were cached. Absent if all tokens were cached. */
  miss?: CacheMiss;
}

export interface CacheMiss {
  /** The index of the first token of the prompt that was not cached. */
  at: number;
  /**
   * `new`: no prompt with this prefix was cached. `changed`: the cached prompt has another token here. `evicted`: more
   * tokens were cached earlier, but have been evicted.
   */
  why: 'new' | 'changed' | 'evicted';
  /** The prompt's text just before that token. */
  before: string;
  /** The prompt's text from that token on. */
  after: string;
}

/**
 * The generation is complete. `completionTokens` counts the tokens of all choices, `reasoningTokens` the reasoning
 * among them. Durations are in ms.
 */
export interface GenerationDone {
  kind: 'done';
  promptTokens: number;
  cachedTokens: number;
  /**
   * Absent if the engine does not report it, if another engine continued the reply, or if the request does not use the
   * cache.
   */
  cache?: CacheUse;
  completionTokens: number;
  /** Absent if no token was reasoning. */
  reasoningTokens?: number;
  /** The draft tokens of the speculation, and how many were right. Absent if there were none. */
  guesses?: Guesses;
  promptMs: number;
  predictedMs: number;
}

/** Counts of tokens. */
export interface Guesses {
  made: number;
  right: number;
}

/**
 * An event of a generation. They come in this order: one or more `progress`, then the pieces of each choice and its
 * `finish`, then one `done`. The events of several choices are interleaved. If the prompt does not fit, a single
 * `overflow` comes instead.
 *
 * Engines emit all text as `text`; the chat layer turns parts of it into `reasoning` and tool calls.
 */
export type GenerationEvent =
  | PromptProgress
  | TextDelta
  | ReasoningDelta
  | ToolCallStart
  | ToolArgumentsDelta
  | ChoiceFinished
  | GenerationPaused
  | PromptOverflow
  | GenerationDone;

/**
 * The next token of a choice has been drawn. Engines emit it, if the request asks for a journal, before the text that
 * the token completes. It never reaches a client. From all drawn tokens, another engine can continue the choice.
 */
export interface TokenDrawn {
  kind: 'drawn';
  choice: number;
  token: number;
  /** Present if the request asks for log probabilities. */
  logprob?: TokenLogprob;
}

/**
 * An event of an engine, and the events that the chat layer made of it. A journal needs both.
 */
export interface JournaledEvent {
  of: EngineEvent;
  events: GenerationEvent[];
}

/** Any event that an engine emits for a generation. */
export type EngineEvent = GenerationEvent | TokenDrawn;

/** Receives the events of one generation as they happen. */
export type Emit = (event: GenerationEvent) => void;
