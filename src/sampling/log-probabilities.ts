import type { TokenLogits } from './candidates.ts';

/**
 * Returns the natural logarithms of the tokens' probabilities in the order given: logit - highest - ln(weight).
 *
 * `totalLogitWeight` is the sum of e^(logit - highest) over the whole vocabulary. With it, the highest logit must be
 * among those given. Without it, the given tokens must be the whole vocabulary.
 *
 * node-llama-cpp reads its logits and its `totalLogitWeight` after its whole chain of samplers. They are those of the
 * model only if no sampler before the final draw changes or removes a candidate. That is so without token bias and
 * penalties, and either at temperature 0 (which skips all other samplers) or at temperature 1 with topK 0, topP 1 and
 * minP 0. Its sum has 32 bits, so that for a large vocabulary the fifth digit of the logarithm may be wrong.
 */
export function logProbabilities({ logits }: TokenLogits, totalLogitWeight?: number): number[] {
  const values = Array.from(logits);
  const highest = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const weight = totalLogitWeight ?? values.reduce((sum, logit) => sum + Math.exp(logit - highest), 0);
  const logWeight = Math.log(weight);
  return values.map((logit) => logit - highest - logWeight);
}
