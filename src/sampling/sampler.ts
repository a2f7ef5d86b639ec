import type { Sampling } from '../contract/sampling.ts';
import { type Breakers, NO_BREAKERS } from './breakers.ts';
import { type Candidates, indexOfHighest, type TokenLogits, toCandidates } from './candidates.ts';
import { drawByWeight } from './draw.ts';
import { penalizeRepetitions } from './dry.ts';
import { createMersenneTwister, type RandomSource } from './mersenne-twister.ts';
import { drawMirostat1, drawMirostat2, startMirostat } from './mirostat.ts';
import { addBiases, penalize, toBiases } from './penalties.ts';
import { scaleByEntropy, scaleByTemperature } from './temperature.ts';
import { minP, topK, topNSigma, topP, typicalP } from './truncation.ts';
import { excludeTopChoices, usesXtc } from './xtc.ts';

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
 * Makes the sampler chain of llama.cpp v0.5.0: logit bias, penalties, DRY, top-n-sigma, top-k, typical-p, top-p, min-p,
 * XTC, temperature, draw. With Mirostat it is logit bias, fixed temperature, Mirostat; penalties, DRY, truncation and
 * dynamic temperature are off. This is `common_sampler_init` in its default order.
 *
 * The same seed draws the same tokens as llama.cpp built with libstdc++ on x86-64, given the same logits in the same
 * order. llama.cpp starts with the order of the vocabulary; node-llama-cpp starts with descending logits, because it
 * always has a top-k. Two differences remain: the order of equal logits, and the last bit of exp and log.
 *
 * Only Mirostat version 1 uses `vocabularySize`. `spentDraws` is the number of tokens of the reply that were drawn
 * before, by another sampler with the same seed: as many random numbers are skipped. XTC takes a number only where two
 * tokens are left, so that one of its numbers more or less may be skipped than it took. `breakers` are those of DRY.
 */
export function createSampler(
  sampling: Sampling,
  vocabularySize: number,
  spentDraws = 0,
  breakers: Breakers = NO_BREAKERS,
): Sampler {
  const biases = toBiases(sampling.logitBias);
  const random = createMersenneTwister(sampling.seed);
  const chance = usesXtc(sampling) ? createMersenneTwister(sampling.seed) : undefined;
  const draw = isGreedy(sampling) ? indexOfHighest : createDraw(sampling, vocabularySize, random, chance);
  const skip = () => {
    random.nextUniform();
    chance?.nextUniformFloat();
  };
  for (let spent = 0; spent < spentDraws; spent++) skip();
  let scratch: Candidates | undefined;
  return {
    skip,
    sample(logits, recentTokens) {
      const candidates = toCandidates(logits, scratch);
      if (candidates.size === 0) throw new RangeError('there are no tokens to choose from');
      scratch = candidates;
      addBiases(candidates, biases);
      if (sampling.mirostat === 0) {
        penalize(candidates, sampling, recentTokens);
        penalizeRepetitions(candidates, sampling, recentTokens, breakers);
      }
      return candidates.tokens[draw(candidates)] ?? 0;
    },
  };
}

/**
 * True if the highest logit always wins. Among the samplers of the chain, only typical-p and XTC may remove it. With
 * Mirostat they are off.
 */
export function isGreedy(sampling: Sampling): boolean {
  const { temperature, mirostat, dynatempRange, typicalP } = sampling;
  return temperature <= 0 && (mirostat !== 0 || (dynatempRange <= 0 && typicalP >= 1 && !usesXtc(sampling)));
}

/** `chance` has the random numbers of XTC; undefined if XTC is off. */
function createDraw(
  sampling: Sampling,
  vocabularySize: number,
  random: RandomSource,
  chance: RandomSource | undefined,
): Draw {
  if (sampling.mirostat === 0) {
    const { temperature, dynatempRange: range, dynatempExponent: exponent } = sampling;
    return (candidates) => {
      topNSigma(candidates, sampling.topNSigma);
      topK(candidates, sampling.topK);
      typicalP(candidates, sampling.typicalP);
      topP(candidates, sampling.topP);
      minP(candidates, sampling.minP);
      if (chance) excludeTopChoices(candidates, sampling, chance);
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
