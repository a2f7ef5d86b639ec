import { type Candidates, indexOfHighest, reorder, softmax, sortByLogit } from './candidates.ts';
import { descendingOrder } from './order.ts';

/*
 * What leaves candidates out. llama.cpp's `min_keep` is 0 in llama-server: each of these keeps one candidate anyway.
 * Given only the best N tokens, the whole chain does what llama.cpp does under top_k = min(top_k, N).
 */

const { abs, fround, log } = Math;

/**
 * Keeps the `k` highest logits; 0 or less keeps all. `llama_sampler_top_k_impl`.
 *
 * Truncating to N tokens costs nothing as long as k <= N.
 */
export function topK(candidates: Candidates, k: number): void {
  if (k > 0) sortByLogit(candidates, Math.min(k, candidates.size));
}

/**
 * Keeps the smallest set of the most probable tokens whose probabilities sum to `p` or more; from 1 on, all.
 * `llama_sampler_top_p_apply`.
 *
 * Truncating to N tokens that hold the mass m of the distribution turns p into p * m of it. Nothing is lost after a
 * top-k of N or less.
 */
export function topP(candidates: Candidates, p: number): void {
  if (p >= 1) return;
  // Before the sort, as in llama.cpp: the order of a sum in 32 bits shows in its last digit.
  softmax(candidates);
  sortByLogit(candidates);
  const { probabilities, size } = candidates;
  const enough = fround(p);
  let sum = 0;
  for (let index = 0; index < size; index++) {
    sum = fround(sum + (probabilities[index] ?? 0));
    if (sum < enough) continue;
    candidates.size = index + 1;
    return;
  }
}

/**
 * Keeps the tokens with at least `p` times the probability of the most probable one; 0 keeps all.
 * `llama_sampler_min_p_apply`.
 *
 * Truncating to N tokens costs nothing, unless the N-th would be kept.
 */
export function minP(candidates: Candidates, p: number): void {
  if (p <= 0 || candidates.size === 0) return;
  const { logits, tokens, size } = candidates;
  const highest = indexOfHighest(candidates);
  const lowest = fround((logits[highest] ?? 0) + fround(log(fround(p))));
  let kept = 0;
  for (let index = 0; index < size; index++) {
    const logit = logits[index] ?? 0;
    // The highest fails its own test only where p > 1.
    if (logit < lowest && index !== highest) continue;
    tokens[kept] = tokens[index] ?? 0;
    logits[kept] = logit;
    kept += 1;
  }
  candidates.size = kept;
}

/**
 * Keeps the smallest set of the most typical tokens whose probabilities sum to more than `p`; from 1 on, all. Typical
 * are the tokens whose surprise, -ln of their probability, is near the entropy. They are left in that order, the most
 * typical first. `llama_sampler_typical_apply`, except that a probability of 0 adds nothing to the entropy: llama.cpp's
 * 0 * ln 0 is not a number, and its choice then arbitrary.
 *
 * Truncating to N tokens loses the entropy of the tail, which for a flat distribution is most of it: a tail of mass t
 * spread over M tokens would add about t * ln(M / t). Nothing is lost after a top-k of N or less.
 */
export function typicalP(candidates: Candidates, p: number): void {
  if (p >= 1) return;
  sortByLogit(candidates);
  softmax(candidates);
  const { probabilities, size } = candidates;
  const surprises = surprisesOf(candidates);
  const entropy = entropyOf(candidates, surprises);
  const closeness = surprises.map((surprise) => -abs(fround(surprise - entropy)));
  const order = descendingOrder(closeness);
  const enough = fround(p);
  let sum = 0;
  let kept = 0;
  while (kept < size && sum <= enough) {
    sum = fround(sum + (probabilities[order[kept] ?? 0] ?? 0));
    kept += 1;
  }
  reorder(candidates, order.subarray(0, kept));
  candidates.sorted = false;
}

/** -ln of each probability that the latest softmax gave. */
export function surprisesOf({ probabilities, size }: Candidates): Float32Array {
  const surprises = new Float32Array(size);
  for (let index = 0; index < size; index++) surprises[index] = -log(probabilities[index] ?? 0);
  return surprises;
}

/** Entropy of the probabilities that the latest softmax gave, in nats. */
export function entropyOf({ probabilities, size }: Candidates, surprises: Float32Array): number {
  let entropy = 0;
  for (let index = 0; index < size; index++) {
    const probability = probabilities[index] ?? 0;
    if (probability > 0) entropy = fround(entropy + fround(probability * (surprises[index] ?? 0)));
  }
  return entropy;
}
