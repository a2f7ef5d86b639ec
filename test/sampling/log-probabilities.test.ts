import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logProbabilities } from '../../src/sampling/log-probabilities.ts';
import { sum } from '../../src/utils/sum.ts';
import { softmaxOf, someLogits } from './fixtures.ts';

const asTokens = (logits: number[]) => ({ tokens: logits.map((_, token) => token), logits });

describe('logProbabilities', () => {
  it('takes the tokens for the whole vocabulary if no weight is given', () => {
    const logits = [0.5, 0.25, 0.25].map((share) => 7 + Math.log(share));
    expect(logProbabilities(asTokens(logits)).map((value) => Math.exp(value).toFixed(6))).toEqual([
      '0.500000',
      '0.250000',
      '0.250000',
    ]);
  });

  it('gives the best tokens their values in the whole vocabulary', () => {
    fc.assert(
      fc.property(someLogits, fc.integer({ min: 1, max: 60 }), (logits, count) => {
        const sorted = logits.toSorted((a, b) => b - a);
        const highest = sorted[0] ?? 0;
        const weight = sum(logits.map((logit) => Math.exp(logit - highest)));
        const expected = softmaxOf(sorted).slice(0, count);
        const values = logProbabilities(asTokens(sorted.slice(0, count)), weight);
        expect(values.length).toBe(expected.length);
        values.forEach((value, index) => {
          expect(value).toBeCloseTo(Math.log(expected[index] ?? 0), 9);
        });
      }),
    );
  });

  it('gives a token of probability 0 minus infinity', () => {
    expect(logProbabilities(asTokens([1, -Infinity]))).toEqual([0, -Infinity]);
  });
});
