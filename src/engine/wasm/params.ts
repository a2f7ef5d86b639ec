import { SAMPLING_FIELDS, SAMPLING_KEYS } from '../../core/sampling/fields.ts';
import type { TextRequest } from '../engine.ts';

/**
 * A completion in llama-server's words, streamed with progress and usage. Stop sequences stay here: llama-server drops
 * the text it holds back for one when the generation ends otherwise.
 */
export function completionParams(
  request: TextRequest & { prompt: string },
  choice: number,
  contextLength: number,
): Record<string, unknown> {
  const { sampling } = request;
  return {
    prompt: request.prompt,
    n_predict: request.maxTokens ?? -1,
    // After the first choice the prompt is there in any case.
    cache_prompt: request.cachePrompt || choice > 0,
    ...(request.grammar !== null && { grammar: request.grammar }),
    preserved_tokens: request.marks,
    // llama-server takes 0 for none at all.
    ...(request.logprobs !== null && { n_probs: Math.max(1, request.logprobs) }),
    return_progress: true,
    stream_options: { include_usage: true },
    timings_per_token: request.stop.length + request.banned.length > 0,
    ...Object.fromEntries(SAMPLING_KEYS.map((key) => [SAMPLING_FIELDS[key].name, sampling[key]])),
    // llama-server takes no -1 here.
    repeat_last_n: sampling.repeatLastN < 0 ? contextLength : sampling.repeatLastN,
    // Every choice draws from a seed of its own, the first from the request's.
    seed: (sampling.seed + choice) % 0xffffffff,
    logit_bias: sampling.logitBias,
  };
}
