import type { Violation } from './violation.ts';

/** Why a choice ended, in OpenAI's words. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** How much of the prompt is evaluated. Counts are in tokens; `processed` includes `cache`. */
export interface PromptProgress {
  kind: 'progress';
  /** Prompt tokens that were already in the KV cache. */
  cache: number;
  processed: number;
  total: number;
  timeMs: number;
  /** The tokens of the prompt, where the request asks for their log probabilities and all of them are evaluated. */
  logprobs?: TokenLogprob[];
}

/** A token of the reply with its log probability: the natural logarithm of its probability before any sampler. */
export interface TokenLogprob {
  text: string;
  /** The token's UTF-8 bytes. They may be a part of a character. */
  bytes: number[];
  /** NaN for the first token of a prompt, if nothing is before it. */
  logprob: number;
  /** The most likely tokens for this position, the most likely first. */
  alternatives: { text: string; bytes: number[]; logprob: number }[];
}

/** A piece of a choice's reply. It has whole UTF-8 characters only, and no stop sequence. */
export interface TextDelta {
  kind: 'text';
  choice: number;
  text: string;
  /** The tokens that were drawn since the previous text event of the choice; absent if an engine does not tell. */
  tokens?: number;
  /** The tokens since the previous text event, if the request asks for logprobs. */
  logprobs?: TokenLogprob[];
  /** Tokens of the choice so far; from an engine that does not tell each token, where the request asks for a journal. */
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

/** A keyword of a schema that the reply does not obey: no grammar could enforce it. */
export interface ReplyViolation extends Violation {
  /** The index of the tool call whose arguments it is about; absent for a reply that is JSON. */
  call?: number;
}

/** The choice is complete. It has no further events. */
export interface ChoiceFinished {
  kind: 'finish';
  choice: number;
  reason: FinishReason;
  /** The stop sequence of the request that ended it, if one did. */
  stopSequence?: string;
  /** As in `TextDelta`. */
  soFar?: number;
  /** What the choice breaks of its schemas; absent if nothing. */
  violations?: ReplyViolation[];
}

/** The engine died and another one takes the generation up where it was. Nothing that was said is said again. */
export interface GenerationPaused {
  kind: 'pause';
  /** For the client, in a comment of its stream. */
  reason: string;
}

/** The prompt alone does not fit the context window; nothing is generated and no other event follows. */
export interface PromptOverflow {
  kind: 'overflow';
  promptTokens: number;
  contextLength: number;
}

/** Where the tokens of a prompt came from that were not evaluated. Counts are in tokens. */
export interface CacheUse {
  /** Those that the slot itself held. */
  slot: number;
  /** Those copied from another slot. */
  copied: number;
  /** Those of a copy in memory. */
  ram: number;
  /** Those of a copy on disk. */
  disk: number;
  /** Why it were not more; absent if nothing was missed. */
  miss?: CacheMiss;
}

export interface CacheMiss {
  /** The place of the prompt's first token that was not found. */
  at: number;
  /**
   * `new`: nothing like the prompt was cached. `changed`: what was cached of it goes on differently from here. `evicted`: more was
   * cached once, and made room for others.
   */
  why: 'new' | 'changed' | 'evicted';
  /** The prompt's text just before that place. */
  before: string;
  /** And from there on. */
  after: string;
}

/**
 * The generation is complete. `completionTokens` counts the tokens of all choices, `reasoningTokens` those of them that are
 * reasoning; durations are in ms.
 */
export interface GenerationDone {
  kind: 'done';
  promptTokens: number;
  cachedTokens: number;
  /** Absent from an engine that does not tell, from a reply that was taken up, and where the request does without the cache. */
  cache?: CacheUse;
  completionTokens: number;
  /** Absent where none were reasoning. */
  reasoningTokens?: number;
  /** Tokens that were guessed ahead, and those of them that were right. Absent where none were guessed. */
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
 * The next token of a choice has been drawn. Engines say so, where a request asks for it, before the text that the token
 * completes; it never reaches a client. With all of them another engine can take the choice up.
 */
export interface TokenDrawn {
  kind: 'drawn';
  choice: number;
  token: number;
  /** Present where the request asks for log probabilities. */
  logprob?: TokenLogprob;
}

/**
 * An event of an engine, and what the chat layer made of it. With both, somebody who is told of the generation can keep its
 * journal.
 */
export interface JournaledEvent {
  of: EngineEvent;
  events: GenerationEvent[];
}

/** Everything that an engine says of a generation. */
export type EngineEvent = GenerationEvent | TokenDrawn;

/** Receives the events of one generation as they happen. */
export type Emit = (event: GenerationEvent) => void;
