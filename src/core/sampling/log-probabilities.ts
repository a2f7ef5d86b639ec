import type { TokenLogits } from './candidates.ts';

/**
 * Natural logarithms of the tokens' probabilities, in the order given: logit - highest - ln(weight).
 *
 * `totalLogitWeight` is the sum of e^(logit - highest) over the whole vocabulary, so the highest logit must be among
 * those given. Without it the tokens are taken for the whole vocabulary.
 *
 * node-llama-cpp's `totalLogitWeight` is this sum, and its logits are raw, only if nothing before its final draw changes
 * or removes candidates: both are taken after its whole chain of samplers. Raw they are under temperature 0, which skips
 * all but bias and penalties, and under temperature 1 with topK 0, topP 1 and minP 0; always without token bias and
 * penalties. Its sum has 32 bits, which for a large vocabulary costs the logarithm its fifth digit or so.
 */
export function logProbabilities({ logits }: TokenLogits, totalLogitWeight?: number): number[] {
  const values = Array.from(logits);
  const highest = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const weight = totalLogitWeight ?? values.reduce((sum, logit) => sum + Math.exp(logit - highest), 0);
  const logWeight = Math.log(weight);
  return values.map((logit) => logit - highest - logWeight);
}
