import type { TextDelta, TokenLogprob } from './events.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Prompt } from './prompt.ts';
import type { Sampling } from './sampling.ts';

/**
 * The form that the reply must have: any text, any JSON object, JSON that matches a schema, a text of a grammar in GBNF,
 * a text that matches a regular expression as a whole, or one of several texts. The kind `options` is one of several texts
 * as well, right at the beginning of the answer: the texts are weighed, and none is written. `param` is the field that
 * has the schema, the grammar, the expression or the texts; errors name it.
 */
export type ReplyFormat =
  | { kind: 'text' }
  | { kind: 'json' }
  | { kind: 'schema'; schema: JsonSchema; param: string }
  | { kind: 'grammar'; grammar: string; param: string }
  | { kind: 'pattern'; pattern: string; param: string }
  | { kind: 'choice'; texts: string[]; param: string }
  | { kind: 'options'; texts: string[]; param: string };

/** A LoRA adapter of a model, as a generation applies it. */
export interface AppliedAdapter {
  /** Its name: that of its file, without `.gguf`. */
  name: string;
  /** The factor of its changes to the weights. It is not 0. */
  scale: number;
}

/** A request for one generation, as the API makes it. Plain data, so that it can cross threads and processes. */
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
  /** The most tokens of a block of reasoning in the reply to a conversation. Absent for no limit. */
  thinkingBudget?: number;
  /** True if the prompt may use tokens that are already in the KV cache. */
  cachePrompt: boolean;
  /**
   * The client's name for its conversation. Of equally good slots, the prompt gets the slot of the latest request with
   * this name: it likely holds an older state of the conversation, which is no longer needed.
   */
  cacheKey?: string;
  /** The LoRA adapters to apply, each once, in the order in which the model has them. Absent if there are none. */
  lora?: AppliedAdapter[];
  /** The number of replies to the prompt. Each has its own seed. */
  choices: number;
  /**
   * The number of most likely alternatives to return with each token. 0 returns only the token's own probability; null
   * returns no probabilities.
   */
  logprobs: number | null;
  /** Asks for the log probabilities of the prompt's tokens as well. Nothing is taken from the KV cache then. */
  promptLogprobs?: true;
  /** True if each event tells how far the generation is, so that another engine can continue it after a crash. */
  journal?: boolean;
  /** The state of each choice, in order, when its engine crashed. The new engine does not send its text again. */
  resume?: ResumedChoice[];
}

/** A choice that another engine has begun. */
export interface ResumedChoice {
  /** The number of tokens drawn. */
  count: number;
  /** The text so far, if the engine reports no single tokens. */
  said: TextDelta[];
  /** The tokens so far, if the engine reports them. */
  tokens: number[];
  /** The log probability of each token in `tokens`, if the request asks for log probabilities. */
  logprobs: TokenLogprob[];
  /** True if the choice is complete, so that no more events follow. */
  finished: boolean;
}
