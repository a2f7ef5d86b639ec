import type { TextDelta, TokenLogprob } from './events.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Prompt } from './prompt.ts';
import type { Sampling } from './sampling.ts';

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
