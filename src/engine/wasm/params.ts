import type { GenerationRequest } from '../../core/runner.ts';

/**
 * A chat completion in llama-server's words, streamed with progress and usage. Stop sequences stay here: llama-server
 * drops the text it holds back for one when the generation ends otherwise.
 */
export function completionParams(request: GenerationRequest, contextLength: number): Record<string, unknown> {
  const { sampling } = request;
  return {
    messages: request.messages,
    chat_template_kwargs: request.templateKwargs,
    n_predict: request.maxTokens ?? -1,
    cache_prompt: request.cachePrompt,
    return_progress: true,
    stream_options: { include_usage: true },
    timings_per_token: request.stop.length > 0,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    typical_p: sampling.typicalP,
    repeat_penalty: sampling.repeatPenalty,
    // llama-server takes no -1 here.
    repeat_last_n: sampling.repeatLastN < 0 ? contextLength : sampling.repeatLastN,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    dynatemp_range: sampling.dynatempRange,
    dynatemp_exponent: sampling.dynatempExponent,
    mirostat: sampling.mirostat,
    mirostat_tau: sampling.mirostatTau,
    mirostat_eta: sampling.mirostatEta,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
  };
}
