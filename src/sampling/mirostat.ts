import { type Candidates, softmax, sortByLogit } from './candidates.ts';
import { drawByProbability } from './draw.ts';
import type { RandomSource } from './mersenne-twister.ts';

/**
 * The state of Mirostat. The surprise of a token is -log2 of its probability, in bits. Mirostat steers the average
 * surprise towards a target.
 */
export interface MirostatState {
  /** The target surprise, in bits. */
  readonly tau: number;
  /** The learning rate. */
  readonly eta: number;
  /** The highest surprise that a token may have, in bits. Each draw moves it so that the average approaches `tau`. */
  mu: number;
}

/** Number of most probable tokens that version 1 fits its line to; `m` in llama.cpp's common sampler. */
const FITTED = 100;

const { fround, log, log2, max, min } = Math;

/** Returns the state at the start of a generation. */
export function startMirostat(tau: number, eta: number): MirostatState {
  return { tau: fround(tau), eta: fround(eta), mu: fround(2 * fround(tau)) };
}

/**
 * Draws by Mirostat version 2 and returns the index: removes tokens with a surprise above mu, draws from the rest, and
 * updates mu. This is `llama_sampler_mirostat_v2_apply`.
 *
 * If an engine gives only the N highest logits: at most 2^mu tokens pass (1024 at the start with tau 5), so N >= 2^mu
 * removes none of them. But the surprises are too low by log2(1/m) bits, m being the probability of the N tokens
 * together.
 */
export function drawMirostat2(candidates: Candidates, state: MirostatState, random: RandomSource): number {
  sortByLogit(candidates);
  softmax(candidates);
  const { probabilities } = candidates;
  let kept = 0;
  while (kept < candidates.size && !(surprise(probabilities[kept] ?? 0) > state.mu)) kept += 1;
  candidates.size = max(1, kept);
  return drawAndLearn(candidates, state, random);
}

/**
 * Draws by Mirostat version 1 and returns the index: fits Zipf's law to the most probable tokens, keeps the number of
 * tokens that has the surprise mu by that law, draws from them, and updates mu. This is `llama_sampler_mirostat_apply`.
 * If the number to keep overflows, all tokens are kept; in llama.cpp that case is undefined.
 *
 * If an engine gives only the N highest logits: the result is exact if N >= 100 and no more than N tokens are kept. The
 * fit needs only the ratios of the 100 highest probabilities, and the size of the vocabulary is known.
 */
export function drawMirostat1(
  candidates: Candidates,
  state: MirostatState,
  random: RandomSource,
  vocabularySize: number,
): number {
  sortByLogit(candidates);
  softmax(candidates);
  const keep = zipfCount(fitZipfExponent(candidates), state.mu, vocabularySize);
  // NaN if too few tokens have all the probability, so that nothing can be fitted. llama.cpp then keeps one token.
  candidates.size = keep >= 1 ? min(candidates.size, Math.trunc(keep)) : 1;
  return drawAndLearn(candidates, state, random);
}

/** Fits Zipf's law: a line through the logarithms of rank and probability, by least squares. Returns the exponent. */
function fitZipfExponent({ probabilities, size }: Candidates): number {
  let products = 0;
  let squares = 0;
  for (let index = 0; index < min(FITTED, size) - 1; index++) {
    const rank = fround(log(fround((index + 2) / (index + 1))));
    const fall = fround(log(fround((probabilities[index] ?? 0) / (probabilities[index + 1] ?? 0))));
    products = fround(products + fround(rank * fall));
    squares = fround(squares + fround(rank * rank));
  }
  return fround(products / squares);
}

/** Returns how many tokens to keep so that their surprise under Zipf's law is `mu`. */
function zipfCount(exponent: number, mu: number, vocabularySize: number): number {
  const epsilon = fround(exponent - 1);
  const above = fround(epsilon * fround(2 ** mu));
  const below = fround(1 - fround(vocabularySize ** -epsilon));
  return fround(fround(above / below) ** fround(1 / exponent));
}

/**
 * Draws from the remaining candidates and updates mu by the error, the drawn token's surprise minus `tau`. The surprise
 * counts the remaining candidates only, as in llama.cpp.
 */
function drawAndLearn(candidates: Candidates, state: MirostatState, random: RandomSource): number {
  softmax(candidates);
  const index = drawByProbability(candidates, random);
  const error = fround(surprise(candidates.probabilities[index] ?? 0) - state.tau);
  state.mu = fround(state.mu - fround(state.eta * error));
  return index;
}

function surprise(probability: number): number {
  return -fround(log2(probability));
}
