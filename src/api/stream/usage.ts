import type { CacheUse, GenerationDone } from '../../contract/events.ts';

/** The fields that all objects of one completion share. `created` is Unix time in seconds. */
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

/** llama-server's `timings` object. Counts are in tokens, durations in ms, rates in tokens per second. */
export interface Timings {
  cache_n: number;
  prompt_n: number;
  prompt_ms: number;
  prompt_per_second: number;
  predicted_n: number;
  predicted_ms: number;
  predicted_per_second: number;
  /**
   * The number of draft tokens of the speculation. `draft_n_accepted` counts the right ones. Absent if there were none.
   */
  draft_n?: number;
  draft_n_accepted?: number;
  /** Paddock's own field. Absent if the engine does not report it, or if the request does not use the cache. */
  cache?: CacheTimings;
}

/** The sources of the tokens that `cache_n` counts, and the reason why no more tokens were cached. */
export interface CacheTimings {
  /** Tokens that were in the KV cache of the slot itself. */
  slot_n: number;
  /** Tokens copied from another slot. */
  copied_n: number;
  ram_n: number;
  disk_n: number;
  /**
   * Absent if all tokens were cached. `token` is the index of the first missing token; `before` and `after` are the
   * prompt's text around it.
   */
  miss?: { token: number; why: 'new' | 'changed' | 'evicted'; before: string; after: string };
}

/** Makes the head of a completion. Its id begins with `prefix`, as in `chatcmpl-...`. `now` is Unix time in ms. */
export function createCompletionHead(
  prefix: 'chatcmpl' | 'cmpl',
  model: string,
  systemFingerprint: string,
  now: number,
): CompletionHead {
  return {
    id: `${prefix}-${crypto.randomUUID().replaceAll('-', '')}`,
    created: Math.floor(now / 1000),
    model,
    system_fingerprint: systemFingerprint,
  };
}

/** Returns OpenAI's token counts. The cached tokens are a part of `prompt_tokens`. */
export function toUsage({ promptTokens, completionTokens, cachedTokens }: GenerationDone): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

/**
 * Returns llama-server's timings, in ms and in tokens per second. Unlike `prompt_tokens`, `prompt_n` leaves out the
 * cached tokens. Counts of guessed tokens and of the caches are absent where the engine gives none.
 */
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
    ...(done.guesses && { draft_n: done.guesses.made, draft_n_accepted: done.guesses.right }),
    ...(done.cache && { cache: toCacheTimings(done.cache) }),
  };
}

function toCacheTimings({ slot, copied, ram, disk, miss }: CacheUse): CacheTimings {
  const counts = { slot_n: slot, copied_n: copied, ram_n: ram, disk_n: disk };
  if (!miss) return counts;
  const { at, why, before, after } = miss;
  return { ...counts, miss: { token: at, why, before, after } };
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? (count * 1000) / ms : 0;
}
