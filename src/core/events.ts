/** Why a choice ended, in OpenAI's words. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** How far the prompt has been evaluated. Counts are tokens; `processed` includes `cache`. */
export interface PromptProgress {
  kind: 'progress';
  /** Prompt tokens that were already in the KV cache. */
  cache: number;
  processed: number;
  total: number;
  timeMs: number;
}

/** A token of the reply and how likely it was, as the natural logarithm of its probability before any sampler. */
export interface TokenLogprob {
  text: string;
  /** The token's UTF-8, which may be a part of a character. */
  bytes: number[];
  logprob: number;
  /** The likeliest tokens in its place, likeliest first; none have alternatives of their own. */
  alternatives: { text: string; bytes: number[]; logprob: number }[];
}

/** A piece of a choice's reply: whole UTF-8 characters, free of stop sequences. */
export interface TextDelta {
  kind: 'text';
  choice: number;
  text: string;
  /** Of the tokens since the last text, where asked for. */
  logprobs?: TokenLogprob[];
}

/** A piece of what the model thinks before it answers. */
export interface ReasoningDelta {
  kind: 'reasoning';
  choice: number;
  text: string;
}

/** A tool call begins; `index` counts the calls of the choice from 0. */
export interface ToolCallStart {
  kind: 'toolCall';
  choice: number;
  index: number;
  name: string;
}

/** A piece of a tool call's arguments; together they are the JSON text of one object. */
export interface ToolArgumentsDelta {
  kind: 'toolArguments';
  choice: number;
  index: number;
  text: string;
}

/** The choice is complete; nothing more is said of it. */
export interface ChoiceFinished {
  kind: 'finish';
  choice: number;
  reason: FinishReason;
}

/** The prompt alone does not fit the context window; nothing is generated and no other event follows. */
export interface PromptOverflow {
  kind: 'overflow';
  promptTokens: number;
  contextLength: number;
}

/** The generation is over. `completionTokens` are those of all choices; durations are ms. */
export interface GenerationDone {
  kind: 'done';
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  promptMs: number;
  predictedMs: number;
}

/**
 * What a running generation says, in this order: one or more `progress`, then for each choice its pieces and `finish`,
 * those of several choices mixed, then one `done`; or, for a prompt that does not fit, a single `overflow`.
 * Engines say `text` alone; the chat layer tells reasoning and tool calls from it.
 */
export type GenerationEvent =
  | PromptProgress
  | TextDelta
  | ReasoningDelta
  | ToolCallStart
  | ToolArgumentsDelta
  | ChoiceFinished
  | PromptOverflow
  | GenerationDone;
