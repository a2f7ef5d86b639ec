import { type Candidates, softmax, sortByLogit } from './candidates.ts';
import { drawByProbability } from './draw.ts';
import type { RandomSource } from './mersenne-twister.ts';

/** What Mirostat aims at, and the one number that it learns. Surprises are in bits. */
export interface MirostatState {
  /** The surprise to aim at. */
  readonly tau: number;
  /** The learning rate. */
  readonly eta: number;
  /** The highest surprise that is let through, which moves until the observed surprise is `tau`. */
  mu: number;
}

/** How many of the most probable tokens version 1 fits its line to: `m` in llama.cpp's common sampler. */
const FITTED = 100;

const { fround, log, log2, max, min } = Math;

/** The state to begin a generation with. */
export function startMirostat(tau: number, eta: number): MirostatState {
  return { tau: fround(tau), eta: fround(eta), mu: fround(2 * fround(tau)) };
}

/**
 * Draws by Mirostat version 2 and gives the index: leaves out tokens of a surprise above mu, draws from the rest, learns.
 * `llama_sampler_mirostat_v2_apply`.
 *
 * At most 2^mu tokens can be let through, so N >= 2^mu (1024 at first with tau 5) truncates none of them. Renormalising
 * over N tokens of mass m still takes log2(1/m) bits off each surprise before mu is applied.
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
 * Draws by Mirostat version 1 and gives the index: fits Zipf's law to the most probable tokens, keeps as many of all as
 * would have the surprise mu under it, draws from those, learns. `llama_sampler_mirostat_apply`. Where the number to
 * keep overflows, all are kept; llama.cpp's is then undefined.
 *
 * Truncating to N tokens costs nothing as long as N >= 100 and N tokens or fewer are kept: the fit takes the ratios of
 * the 100 highest probabilities, and the size of the vocabulary is known.
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
  // Not a number where all the probability is on too few tokens to fit anything: then llama.cpp keeps one.
  candidates.size = keep >= 1 ? min(candidates.size, Math.trunc(keep)) : 1;
  return drawAndLearn(candidates, state, random);
}

/** Least squares through the logarithms of rank and probability. */
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

function zipfCount(exponent: number, mu: number, vocabularySize: number): number {
  const epsilon = fround(exponent - 1);
  const above = fround(epsilon * fround(2 ** mu));
  const below = fround(1 - fround(vocabularySize ** -epsilon));
  return fround(fround(above / below) ** fround(1 / exponent));
}

/** Draws from what is left and moves mu towards `tau`. The surprise is that among what is left, as in llama.cpp. */
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
