import type { Sampling } from '../../../contract/sampling.ts';
import { penaltyWindow, toBiases } from '../../../sampling/penalties.ts';
import type { NativeCandidates } from './candidates.ts';
import type { Library } from './library/library.ts';
import type { Pointer } from './library/pointer.ts';
import type { Token } from './tokens/token.ts';

/** A chain of llama.cpp's samplers. */
export interface SamplerChain {
  /** Chooses one of the candidates. Resolves to null if there is none. */
  choose(candidates: NativeCandidates): Promise<Token | null>;
  /** Notes a token of the reply, for the penalties. */
  accept(token: Token): void;
  /** Frees the samplers. No choice may be under way. */
  close(): void;
}

/**
 * Makes the chain of a request: logit bias, penalties, top-k, top-p, min-p, temperature, draw.
 *
 * @param vocabularySize the number of tokens
 * @param contextLength the context window, in tokens
 * @param recent the tokens before the reply, for the penalties
 */
export function createSamplerChain(
  { llama }: Library,
  sampling: Sampling,
  vocabularySize: number,
  contextLength: number,
  recent: readonly Token[],
): SamplerChain {
  const chain = llama.llama_sampler_chain_init({ no_perf: true });
  const add = (sampler: Pointer) => llama.llama_sampler_chain_add(chain, sampler);
  const { temperature, topK, topP, minP, seed, logitBias } = sampling;
  if (logitBias.length > 0) {
    const biases = toBiases(logitBias);
    const pairs = new Int32Array(Math.max(16, 2 * biases.size));
    const values = new Float32Array(pairs.buffer);
    for (const [index, [token, bias]] of [...biases].entries()) {
      pairs[2 * index] = token;
      values[2 * index + 1] = bias;
    }
    add(llama.llama_sampler_init_logit_bias(vocabularySize, biases.size, pairs));
  }
  const window = penaltyWindow(sampling, contextLength);
  const { repeatPenalty, presencePenalty, frequencyPenalty } = sampling;
  const penalizes = window > 0;
  if (penalizes) {
    add(llama.llama_sampler_init_penalties(vocabularySize, window, repeatPenalty, frequencyPenalty, presencePenalty));
  }
  if (temperature <= 0) add(llama.llama_sampler_init_greedy());
  else {
    // Without a limit, top-k still sorts: a seed draws the same tokens as from a list of the highest logits.
    add(llama.llama_sampler_init_top_k(topK > 0 ? Math.min(topK, vocabularySize) : vocabularySize));
    add(llama.llama_sampler_init_top_p(topP, 1));
    add(llama.llama_sampler_init_min_p(minP, 1));
    add(llama.llama_sampler_init_temp(temperature));
    add(llama.llama_sampler_init_dist(seed));
  }
  const accept = (token: Token) => {
    if (penalizes) llama.llama_sampler_accept(chain, token);
  };
  if (penalizes) recent.slice(-window).forEach(accept);

  return {
    async choose(candidates) {
      await llama.llama_sampler_apply.async(chain, candidates.address);
      return candidates.selected();
    },
    accept,
    close: () => llama.llama_sampler_free(chain),
  };
}
