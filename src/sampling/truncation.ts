import { type Candidates, indexOfHighest, reorder, softmax, sortByLogit } from './candidates.ts';
import { descendingOrder } from './order.ts';

/*
 * The samplers that remove candidates. llama-server sets llama.cpp's `min_keep` to 0; each sampler keeps one candidate
 * anyway. If an engine gives only the N highest logits, the whole chain does what llama.cpp does with top_k =
 * min(top_k, N).
 */

const { abs, fround, log, sqrt } = Math;

/**
 * Keeps the `k` highest logits; 0 or less keeps all. This is `llama_sampler_top_k_impl`. It is exact with only the N
 * highest logits if k <= N.
 */
export function topK(candidates: Candidates, k: number): void {
  if (k > 0) sortByLogit(candidates, Math.min(k, candidates.size));
}

/**
 * Keeps the smallest set of most probable tokens whose probabilities sum to at least `p`; 1 or more keeps all. This is
 * `llama_sampler_top_p_apply`.
 *
 * With only the N highest logits, which together have the probability m, the tokens kept have p * m instead of p. It is
 * exact after a top-k of N or less.
 */
export function topP(candidates: Candidates, p: number): void {
  if (p >= 1) return;
  // Before the sort, as in llama.cpp: the last digit of a 32-bit sum depends on the order.
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
 * Keeps the tokens with at least `p` times the probability of the most probable one; 0 keeps all. This is
 * `llama_sampler_min_p_apply`. With only the N highest logits, it is exact unless the N-th is kept.
 */
export function minP(candidates: Candidates, p: number): void {
  if (p <= 0 || candidates.size === 0) return;
  const { logits, tokens, size } = candidates;
  const highest = indexOfHighest(candidates);
  const lowest = fround((logits[highest] ?? 0) + fround(log(fround(p))));
  let kept = 0;
  for (let index = 0; index < size; index++) {
    const logit = logits[index] ?? 0;
    // The highest logit fails its own test only if p > 1. It is kept even then.
    if (logit < lowest && index !== highest) continue;
    tokens[kept] = tokens[index] ?? 0;
    logits[kept] = logit;
    kept += 1;
  }
  candidates.size = kept;
}

/**
 * Keeps the smallest set of most typical tokens whose probabilities sum to more than `p`; 1 or more keeps all. A token
 * is typical if its surprise, -ln of its probability, is near the entropy. The tokens stay in that order, the most
 * typical one first. This is `llama_sampler_typical_apply` with one exception: a probability of 0 adds nothing to the
 * entropy. In llama.cpp 0 * ln 0 is not a number, which makes its choice arbitrary.
 *
 * With only the N highest logits, the entropy of the other tokens is missing: about t * ln(M / t) if M tokens share the
 * probability t. For a flat distribution that is most of the entropy. It is exact after a top-k of N or less.
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

/**
 * Makes all tokens impossible whose logit is more than `n` standard deviations below the highest; 0 or less keeps all.
 * This is `llama_sampler_top_n_sigma_apply`. Mean and deviation are those of all logits: it needs the whole vocabulary,
 * in its order.
 */
export function topNSigma(candidates: Candidates, n: number): void {
  const { logits, size } = candidates;
  if (n <= 0 || size <= 1) return;
  let [highest, sum, count] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (let index = 0; index < size; index++) {
    const logit = logits[index] ?? 0;
    if (logit === Number.NEGATIVE_INFINITY) continue;
    if (logit > highest) highest = logit;
    sum = fround(sum + logit);
    count += 1;
  }
  if (count === 0) return;
  const mean = fround(sum / count);
  let squares = 0;
  for (let index = 0; index < size; index++) {
    const logit = logits[index] ?? 0;
    if (logit !== Number.NEGATIVE_INFINITY) squares = fround(squares + fround(logit - mean) ** 2);
  }
  const lowest = fround(highest - fround(fround(n) * fround(sqrt(fround(squares / count)))));
  for (let index = 0; index < size; index++) {
    if ((logits[index] ?? 0) < lowest) logits[index] = Number.NEGATIVE_INFINITY;
  }
}

/** Returns -ln of each probability from the latest softmax. */
export function surprisesOf({ probabilities, size }: Candidates): Float32Array {
  const surprises = new Float32Array(size);
  for (let index = 0; index < size; index++) surprises[index] = -log(probabilities[index] ?? 0);
  return surprises;
}

/** Returns the entropy of the probabilities from the latest softmax, in nats. */
export function entropyOf({ probabilities, size }: Candidates, surprises: Float32Array): number {
  let entropy = 0;
  for (let index = 0; index < size; index++) {
    const probability = probabilities[index] ?? 0;
    if (probability > 0) entropy = fround(entropy + fround(probability * (surprises[index] ?? 0)));
  }
  return entropy;
}
