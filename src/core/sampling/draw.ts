import { type Candidates, fillWeights } from './candidates.ts';
import type { RandomSource } from './mersenne-twister.ts';

/**
 * Draws a candidate by its probability and gives its index: the first where the weights, summed up in order, reach a
 * uniform share of their total. `llama_sampler_dist_apply`.
 */
export function drawByWeight(candidates: Candidates, random: RandomSource): number {
  // One number for every token, even where there is no choice, so that the next token's draw is llama.cpp's.
  const share = random.nextUniform();
  const goal = fillWeights(candidates) * share;
  const last = candidates.size - 1;
  let sum = 0;
  for (let index = 0; index < last; index++) {
    sum += candidates.probabilities[index] ?? 0;
    if (sum >= goal) return index;
  }
  return last;
}

/**
 * Draws a candidate by the probability that the latest softmax gave and returns its index. `llama_sample_dist`, which is
 * `std::discrete_distribution`, here libstdc++'s: it takes no random number where there is no choice.
 */
export function drawByProbability({ probabilities, size }: Candidates, random: RandomSource): number {
  const last = size - 1;
  if (last < 1) return 0;
  let total = 0;
  for (let index = 0; index < size; index++) total += probabilities[index] ?? 0;
  const goal = random.nextUniform();
  let sum = 0;
  for (let index = 0; index < last; index++) {
    sum += (probabilities[index] ?? 0) / total;
    if (sum >= goal) return index;
  }
  return last;
}
