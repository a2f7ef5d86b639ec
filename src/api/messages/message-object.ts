import type { ChoiceFinished, FinishReason, GenerationDone } from '../../contract/events.ts';
import { type SchemaViolation, violationFields } from '../generation/violations.ts';

/** The fields that all objects of one message share. */
export interface MessageHead {
  id: string;
  model: string;
}

/**
 * The signature of every block of thinking. Clients send it back with the block, and some drop a block without one. It
 * proves nothing, and is not checked.
 */
export const SIGNATURE = 'paddock';

/** A block of a reply, with each field that Anthropic's clients may read. */
export type ContentBlock =
  | { type: 'text'; text: string; citations: [] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: object; caller: { type: 'direct' } };

/** Anthropic's Message object. */
export type MessageObject = ReturnType<typeof toMessageObject>;

/** The reason why a message ended, by Anthropic's names. */
export type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal';

/** How a message ended. All fields are null while it is being written. */
export interface Stop {
  stop_reason: StopReason | null;
  stop_sequence: string | null;
  stop_details: typeof REFUSAL | null;
  /** The schema violations of the message; absent if there are none. */
  schema_violations?: SchemaViolation[];
}

const REFUSAL = {
  type: 'refusal',
  category: null,
  explanation: null,
  fallback_credit_token: null,
  fallback_has_prefill_claim: null,
  recommended_model: null,
} as const;

/** The token counts of a message. The three `input` counts together are the tokens of the prompt. */
export interface UsageCounts {
  input_tokens: number;
  /** Every prompt enters the KV cache, at no cost, so none is counted here. */
  cache_creation_input_tokens: 0;
  cache_read_input_tokens: number;
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number };
  server_tool_use: null;
  fallback_credit: null;
  iterations: null;
}

export const RUNNING: Stop = { stop_reason: null, stop_sequence: null, stop_details: null };

const STOP_REASONS: Record<FinishReason, StopReason> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/**
 * Returns why a message ended, in Anthropic's words: our `length` is `max_tokens`, our `content_filter` a `refusal`. A
 * `stop` is `stop_sequence` if a stop sequence of the request caused it, else `end_turn`.
 */
export function toStopFields(finished: ChoiceFinished): Stop {
  const { reason, stopSequence } = finished;
  return {
    stop_reason: reason === 'stop' && stopSequence !== undefined ? 'stop_sequence' : STOP_REASONS[reason],
    stop_sequence: stopSequence ?? null,
    stop_details: reason === 'content_filter' ? REFUSAL : null,
    ...violationFields(finished),
  };
}

/**
 * Returns the token counts of a message. Unlike OpenAI, Anthropic does not count the cached tokens among
 * `input_tokens`.
 */
export function toUsageCounts({
  promptTokens,
  cachedTokens,
  completionTokens,
  reasoningTokens,
}: Pick<GenerationDone, 'promptTokens' | 'cachedTokens' | 'completionTokens' | 'reasoningTokens'>): UsageCounts {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens ?? 0 },
    server_tool_use: null,
    fallback_credit: null,
    iterations: null,
  };
}

/** Builds the Message object, with the beta fields. Fields that only Anthropic's own service fills are null. */
export function toMessageObject(head: MessageHead, content: ContentBlock[], stop: Stop, usage: UsageCounts) {
  return {
    ...head,
    type: 'message',
    role: 'assistant',
    content,
    ...stop,
    container: null,
    context_management: null,
    diagnostics: null,
    usage: { ...usage, cache_creation: null, inference_geo: null, service_tier: null, speed: null },
  } as const;
}

/** Makes a block of text. Paddock cites no documents, so it has no citations. */
export function textBlock(text: string): ContentBlock {
  return { type: 'text', text, citations: [] };
}

/** Makes the block of a call. Its id begins with `toolu_`. In a stream, `input` begins empty. */
export function toolUseBlock(id: string, name: string, input: object): ContentBlock {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}
