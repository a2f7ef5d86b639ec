import type { ThinkingLimit } from '../../chat/thinking-limit.ts';
import { SAMPLING_FIELDS, SAMPLING_KEYS, seedAfter } from '../../contract/sampling.ts';
import type { WasmRequest } from './prompt.ts';

/** What a run has besides its request. */
export interface RunParams {
  choice: number;
  /** In tokens. */
  contextLength: number;
  /** True if the prompt's progress is told after each forward pass. */
  progress: boolean;
}

/**
 * Writes a completion request in llama-server's form, streamed with usage. Stop sequences are handled in
 * Paddock: llama-server loses the text that it holds back for one if the generation ends otherwise.
 */
export function completionParams(
  request: WasmRequest,
  { choice, contextLength, progress }: RunParams,
): Record<string, unknown> {
  const { sampling } = request;
  return {
    prompt: request.prompt,
    n_predict: request.maxTokens ?? -1,
    cache_prompt: request.cachePrompt,
    ...(request.grammar !== null && { grammar: request.grammar }),
    preserved_tokens: request.marks,
    // To llama-server, 0 means no probabilities at all.
    ...(request.logprobs !== null && { n_probs: Math.max(1, request.logprobs) }),
    return_progress: progress,
    stream_options: { include_usage: true },
    // A reply may be ended from outside, or break off: the counts up to there are in the latest chunk.
    timings_per_token: true,
    ...Object.fromEntries(SAMPLING_KEYS.map((key) => [SAMPLING_FIELDS[key].name, sampling[key]])),
    // llama-server does not accept -1 here, and reserves memory for all tokens of the number that it gets.
    repeat_last_n: withinContext(sampling.repeatLastN, contextLength),
    dry_penalty_last_n: withinContext(sampling.dryPenaltyLastN, contextLength),
    ...(sampling.dryMultiplier > 0 && { dry_sequence_breakers: sampling.dryBreakers }),
    // Every choice has its own seed. The first choice has the seed of the request.
    seed: seedAfter(sampling.seed, choice),
    ...(request.thinking && limitOf(request.thinking)),
    logit_bias: sampling.logitBias,
  };
}

/**
 * Returns llama-server's parameters for the limit of reasoning. It compares tokens: a line break after the closing mark
 * may be in one token with the end of the mark. It looks for the opening mark in `generation_prompt` too.
 */
function limitOf({ tokens, open, close, ends, inside }: ThinkingLimit): Record<string, unknown> {
  return {
    reasoning_budget_tokens: tokens,
    reasoning_budget_start_tag: open,
    reasoning_budget_end_tags: [close, `${close}\n`, `${close}\n\n`, ...ends],
    reasoning_budget_message: '',
    ...(inside && { generation_prompt: open }),
  };
}

function withinContext(tokens: number, contextLength: number): number {
  return tokens < 0 ? contextLength : Math.min(tokens, contextLength);
}
