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

/** A piece of a choice's reply: whole UTF-8 characters, free of stop sequences. */
export interface TextDelta {
  kind: 'text';
  choice: number;
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

/** The generation is over. Durations are ms. */
export interface GenerationDone {
  kind: 'done';
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  promptMs: number;
  predictedMs: number;
}

/**
 * What a running generation says, in this order: one or more `progress`, then `text` until each choice's `finish`,
 * then one `done`; or, for a prompt that does not fit, a single `overflow`.
 */
export type GenerationEvent = PromptProgress | TextDelta | ChoiceFinished | PromptOverflow | GenerationDone;
