import type { FinishReason, GenerationDone, PromptProgress, TokenLogprob } from '../../events.ts';
import { sseEvent } from '../stream/sse.ts';

/** What all objects of one completion share. `created` is Unix time in seconds. */
export interface CompletionHead {
  id: string;
  created: number;
  model: string;
  system_fingerprint: string;
}

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

/** llama-server's `timings` object: counts of tokens, durations in ms, rates in tokens per second. */
export interface Timings {
  cache_n: number;
  prompt_n: number;
  prompt_ms: number;
  prompt_per_second: number;
  predicted_n: number;
  predicted_ms: number;
  predicted_per_second: number;
}

export function completionHead(model: string, systemFingerprint: string, now: number): CompletionHead {
  return {
    id: `chatcmpl-${crypto.randomUUID().replaceAll('-', '')}`,
    created: Math.floor(now / 1000),
    model,
    system_fingerprint: systemFingerprint,
  };
}

export function toUsage({ promptTokens, completionTokens, cachedTokens }: GenerationDone): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

export function toTimings(done: GenerationDone): Timings {
  const promptTokens = done.promptTokens - done.cachedTokens;
  return {
    cache_n: done.cachedTokens,
    prompt_n: promptTokens,
    prompt_ms: done.promptMs,
    prompt_per_second: perSecond(promptTokens, done.promptMs),
    predicted_n: done.completionTokens,
    predicted_ms: done.predictedMs,
    predicted_per_second: perSecond(done.completionTokens, done.predictedMs),
  };
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? (count * 1000) / ms : 0;
}

/** A tool call of a reply, as OpenAI's clients read it. */
export interface ToolCallObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** One choice of a reply that does not stream. */
export interface ChoiceObject {
  index: number;
  message: {
    role: 'assistant';
    /** Null where the reply is nothing but tool calls. */
    content: string | null;
    reasoning_content?: string;
    tool_calls?: ToolCallObject[];
  };
  logprobs: Logprobs | null;
  finish_reason: FinishReason;
}

/** OpenAI's `logprobs` of a choice; `content` has an entry for each token. */
export interface Logprobs {
  content: {
    token: string;
    logprob: number;
    bytes: number[];
    top_logprobs: { token: string; logprob: number; bytes: number[] }[];
  }[];
  refusal: null;
}

export function toLogprobs(tokens: TokenLogprob[]): Logprobs {
  return {
    content: tokens.map(({ text, logprob, bytes, alternatives }) => ({
      token: text,
      logprob: finite(logprob),
      bytes,
      top_logprobs: alternatives.map((other) => ({
        token: other.text,
        logprob: finite(other.logprob),
        bytes: other.bytes,
      })),
    })),
    refusal: null,
  };
}

/** JSON has no infinity; OpenAI's own servers say -9999 for what can't be. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}

/** The whole reply of a request that does not stream. */
export function toCompletion(head: CompletionHead, choices: ChoiceObject[], done: GenerationDone) {
  return { ...head, object: 'chat.completion', choices, usage: toUsage(done), timings: toTimings(done) };
}

export function newToolCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

/** Makes the SSE events of one stream. */
export function createChunkEncoder(head: CompletionHead) {
  const base = { ...head, object: 'chat.completion.chunk' };
  // The hot path: of a text chunk only the index and the text differ, so the rest is encoded once.
  const prefix = `data: ${JSON.stringify(base).slice(0, -1)},"choices":[{"index":`;
  const chunk = (index: number, delta: object, finish_reason: FinishReason | null, more: object = {}) =>
    sseEvent({ ...base, choices: [{ index, delta, logprobs: null, finish_reason }], ...more });
  const toolCall = (index: number, call: object) => chunk(index, { tool_calls: [call] }, null);

  return {
    role: (index: number, progress?: PromptProgress): string =>
      chunk(index, { role: 'assistant', content: '' }, null, progress && { prompt_progress: toProgress(progress) }),
    progress: (index: number, progress: PromptProgress): string =>
      chunk(index, {}, null, { prompt_progress: toProgress(progress) }),
    text: (index: number, text: string, logprobs?: TokenLogprob[]): string =>
      `${prefix}${index},"delta":{"content":${JSON.stringify(text)}},"logprobs":${
        logprobs ? JSON.stringify(toLogprobs(logprobs)) : 'null'
      },"finish_reason":null}]}\n\n`,
    reasoning: (index: number, text: string): string => chunk(index, { reasoning_content: text }, null),
    toolCall: (index: number, call: number, name: string): string =>
      toolCall(index, { index: call, id: newToolCallId(), type: 'function', function: { name, arguments: '' } }),
    toolArguments: (index: number, call: number, text: string): string =>
      toolCall(index, { index: call, function: { arguments: text } }),
    finish: (index: number, reason: FinishReason, timings?: Timings): string =>
      chunk(index, {}, reason, timings && { timings }),
    usage: (usage: Usage): string => sseEvent({ ...base, choices: [], usage }),
  };
}

function toProgress({ cache, processed, total, timeMs }: PromptProgress) {
  return { cache, processed, total, time_ms: timeMs };
}
