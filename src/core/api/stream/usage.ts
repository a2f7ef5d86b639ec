import type { GenerationDone } from '../../events.ts';

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
  /** Tokens that were guessed ahead, and those of them that were right; absent where none were. */
  draft_n?: number;
  draft_n_accepted?: number;
}

/** Makes the head of a completion. Its id begins with `prefix`, as in `chatcmpl-...`. `now` is Unix time in ms. */
export function completionHead(
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
    ...(done.guesses && { draft_n: done.guesses.made, draft_n_accepted: done.guesses.right }),
  };
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? (count * 1000) / ms : 0;
}
