import type { FinishReason, GenerationDone, PromptProgress } from '../events.ts';
import { sseEvent } from './sse.ts';

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

/** The whole reply of a request that does not stream. */
export function toCompletion(head: CompletionHead, content: string, reason: FinishReason, done: GenerationDone) {
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: null, finish_reason: reason }],
    usage: toUsage(done),
    timings: toTimings(done),
  };
}

/** Makes the SSE events of one stream. */
export function createChunkEncoder(head: CompletionHead) {
  const base = { ...head, object: 'chat.completion.chunk' };
  // The hot path: of a text chunk only the index and the text differ, so the rest is encoded once.
  const prefix = `data: ${JSON.stringify(base).slice(0, -1)},"choices":[{"index":`;
  const chunk = (index: number, delta: object, finish_reason: FinishReason | null, more: object = {}) =>
    sseEvent({ ...base, choices: [{ index, delta, logprobs: null, finish_reason }], ...more });

  return {
    role: (index: number, progress: PromptProgress): string =>
      chunk(index, { role: 'assistant', content: '' }, null, { prompt_progress: toProgress(progress) }),
    progress: (index: number, progress: PromptProgress): string =>
      chunk(index, {}, null, { prompt_progress: toProgress(progress) }),
    text: (index: number, text: string): string =>
      `${prefix}${index},"delta":{"content":${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}]}\n\n`,
    finish: (index: number, reason: FinishReason, timings?: Timings): string =>
      chunk(index, {}, reason, timings ? { timings } : {}),
    usage: (usage: Usage): string => sseEvent({ ...base, choices: [], usage }),
  };
}

export type ChunkEncoder = ReturnType<typeof createChunkEncoder>;

function toProgress({ cache, processed, total, timeMs }: PromptProgress) {
  return { cache, processed, total, time_ms: timeMs };
}
