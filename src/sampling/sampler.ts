import type { Sampling } from '../contract/sampling.ts';
import { type Candidates, indexOfHighest, type TokenLogits, toCandidates } from './candidates.ts';
import { drawByWeight } from './draw.ts';
import { createMersenneTwister, type RandomSource } from './mersenne-twister.ts';
import { drawMirostat1, drawMirostat2, startMirostat } from './mirostat.ts';
import { addBiases, penalize, toBiases } from './penalties.ts';
import { scaleByEntropy, scaleByTemperature } from './temperature.ts';
import { minP, topK, topP, typicalP } from './truncation.ts';

/** Chooses the tokens of one generation. */
export interface Sampler {
  /**
   * Returns the next token. `logits` has the whole vocabulary or its N highest logits, `recentTokens` the prompt and
   * the reply so far. Neither is changed. Throws a `RangeError` if there is no token to choose from.
   */
  sample(logits: TokenLogits, recentTokens: ArrayLike<number>): number;
  /** Skips the random number that drawing a token would take. */
  skip(): void;
}

/** Draws one of the candidates and returns its index. */
type Draw = (candidates: Candidates) => number;

/**
 * Makes the sampler chain of llama.cpp v0.5.0: logit bias, penalties, top-k, typical-p, top-p, min-p, temperature,
 * draw. With Mirostat it is logit bias, fixed temperature, Mirostat; penalties, truncation and dynamic temperature are
 * off. This is `common_sampler_init` in its default order, without DRY, top-n-sigma and XTC, which are off by default.
 *
 * The same seed draws the same tokens as llama.cpp built with libstdc++ on x86-64, given the same logits in the same
 * order. llama.cpp starts with the order of the vocabulary; node-llama-cpp starts with descending logits, because it
 * always has a top-k. Two differences remain: the order of equal logits, and the last bit of exp and log.
 *
 * Only Mirostat version 1 uses `vocabularySize`. `spentDraws` is the number of tokens of the reply that were drawn
 * before, by another sampler with the same seed: as many random numbers are skipped.
 */
export function createSampler(sampling: Sampling, vocabularySize: number, spentDraws = 0): Sampler {
  const biases = toBiases(sampling.logitBias);
  const random = createMersenneTwister(sampling.seed);
  const draw = isGreedy(sampling) ? indexOfHighest : createDraw(sampling, vocabularySize, random);
  const skip = () => void random.nextUniform();
  for (let spent = 0; spent < spentDraws; spent++) skip();
  let scratch: Candidates | undefined;
  return {
    skip,
    sample(logits, recentTokens) {
      const candidates = toCandidates(logits, scratch);
      if (candidates.size === 0) throw new RangeError('there are no tokens to choose from');
      scratch = candidates;
      addBiases(candidates, biases);
      if (sampling.mirostat === 0) penalize(candidates, sampling, recentTokens);
      return candidates.tokens[draw(candidates)] ?? 0;
    },
  };
}

/** True if the highest logit always wins. Among the samplers of the chain, only typical-p may remove it. */
export function isGreedy({ temperature, mirostat, dynatempRange, typicalP }: Sampling): boolean {
  return temperature <= 0 && (mirostat !== 0 || (dynatempRange <= 0 && typicalP >= 1));
}

function createDraw(sampling: Sampling, vocabularySize: number, random: RandomSource): Draw {
  if (sampling.mirostat === 0) {
    const { temperature, dynatempRange: range, dynatempExponent: exponent } = sampling;
    return (candidates) => {
      topK(candidates, sampling.topK);
      typicalP(candidates, sampling.typicalP);
      topP(candidates, sampling.topP);
      minP(candidates, sampling.minP);
      scaleByEntropy(candidates, { temperature, range, exponent });
      return drawByWeight(candidates, random);
    };
  }
  const state = startMirostat(sampling.mirostatTau, sampling.mirostatEta);
  return (candidates) => {
    scaleByTemperature(candidates, sampling.temperature);
    return sampling.mirostat === 1
      ? drawMirostat1(candidates, state, random, vocabularySize)
      : drawMirostat2(candidates, state, random);
  };
}
