import { type Candidates, fillWeights } from './candidates.ts';
import type { RandomSource } from './mersenne-twister.ts';

/**
 * Draws a candidate by its probability and returns its index: the first one at which the running sum of the weights
 * reaches a random share of the total. This is `llama_sampler_dist_apply`.
 */
export function drawByWeight(candidates: Candidates, random: RandomSource): number {
  // Takes a random number even for a single candidate, as llama.cpp does. Otherwise later draws would differ.
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
 * Draws a candidate by its probability from the latest softmax and returns its index. This is `llama_sample_dist`,
 * which uses `std::discrete_distribution`. As in libstdc++, a single candidate takes no random number.
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
