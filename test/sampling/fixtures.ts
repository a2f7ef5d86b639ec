import fc from 'fast-check';
import { type Candidates, toCandidates } from '../../src/sampling/candidates.ts';
import type { RandomSource } from '../../src/sampling/mersenne-twister.ts';
import { sum } from '../../src/utils/sum.ts';

/** Makes candidates with these logits. Each token is its own index. */
export function withLogits(logits: readonly number[]): Candidates {
  return toCandidates({ tokens: logits.map((_, token) => token), logits });
}

/** Makes candidates with these probabilities, which must sum to 1. */
export function withProbabilities(probabilities: readonly number[]): Candidates {
  return withLogits(probabilities.map(Math.log));
}

export function tokensOf({ tokens, size }: Candidates): number[] {
  return Array.from(tokens.subarray(0, size));
}

export function logitsOf({ logits, size }: Candidates): number[] {
  return Array.from(logits.subarray(0, size));
}

export function probabilitiesOf({ probabilities, size }: Candidates): number[] {
  return Array.from(probabilities.subarray(0, size));
}

export function softmaxOf(logits: readonly number[]): number[] {
  const highest = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - highest));
  return weights.map((weight) => weight / sum(weights));
}

/** Logits of a small vocabulary, in any order, sometimes equal. */
export const someLogits = fc.array(
  fc.integer({ min: -160, max: 160 }).map((eighths) => eighths / 8),
  { minLength: 1, maxLength: 60 },
);

/** A number above 0 and below 1. */
export const someShare = fc.integer({ min: 1, max: 999 }).map((thousandths) => thousandths / 1000);

/** A random source that returns these numbers in turn, and throws if a sampler asks for more. */
export function uniforms(...numbers: number[]): RandomSource {
  const left = [...numbers];
  const next = () => {
    const number = left.shift();
    if (number === undefined) throw new Error('one random number too many');
    return number;
  };
  return {
    nextInteger: () => {
      throw new Error('no sampler asks for integers');
    },
    nextUniform: next,
    nextUniformFloat: next,
  };
}
