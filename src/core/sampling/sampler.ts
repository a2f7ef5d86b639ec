import type { Sampling } from '../runner.ts';
import { type Candidates, indexOfHighest, type TokenLogits, toCandidates } from './candidates.ts';
import { drawByWeight } from './draw.ts';
import { createMersenneTwister } from './mersenne-twister.ts';
import { drawMirostat1, drawMirostat2, startMirostat } from './mirostat.ts';
import { addBiases, penalize, toBiases } from './penalties.ts';
import { scaleByEntropy, scaleByTemperature } from './temperature.ts';
import { minP, topK, topP, typicalP } from './truncation.ts';

/** Chooses the tokens of one generation. */
export interface Sampler {
  /**
   * The next token, given the logits of the whole vocabulary or its best N, and the tokens of prompt and reply so far.
   * Changes neither.
   */
  sample(logits: TokenLogits, recentTokens: ArrayLike<number>): number;
}

/** Draws one of the candidates and gives its index. */
type Draw = (candidates: Candidates) => number;

/**
 * The sampler chain of llama.cpp v0.5.0 (`common_sampler_init` with the default order, without DRY, top-n-sigma and XTC,
 * which are off by default): logit bias, penalties, top-k, typical-p, top-p, min-p, temperature, draw. With Mirostat it is
 * logit bias, fixed temperature, Mirostat: no penalties, no truncation, no dynamic temperature.
 *
 * Equal seeds draw the same tokens as llama.cpp built with libstdc++ on x86-64, given the same logits in the same order
 * (llama.cpp begins with the order of the vocabulary, node-llama-cpp with descending logits, because it always has a
 * top-k). Only equal logits may come in another order, and the last bit of exp and log may differ.
 *
 * `vocabularySize` is for Mirostat version 1.
 */
export function createSampler(sampling: Sampling, vocabularySize: number): Sampler {
  const biases = toBiases(sampling.logitBias);
  const draw = isGreedy(sampling) ? indexOfHighest : createDraw(sampling, vocabularySize);
  let scratch: Candidates | undefined;
  return {
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

/** Whether the highest logit always wins. Of all samplers only typical-p could have taken it out. */
function isGreedy({ temperature, mirostat, dynatempRange, typicalP }: Sampling): boolean {
  return temperature <= 0 && (mirostat !== 0 || (dynatempRange <= 0 && typicalP >= 1));
}

function createDraw(sampling: Sampling, vocabularySize: number): Draw {
  const random = createMersenneTwister(sampling.seed);
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
