import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidates, softmax } from '../../src/sampling/candidates.ts';
import { drawByProbability, drawByWeight } from '../../src/sampling/draw.ts';
import { createMersenneTwister, type RandomSource } from '../../src/sampling/mersenne-twister.ts';
import { sum } from '../../src/utils/sum.ts';
import { probabilitiesOf, softmaxOf, someLogits, uniforms, withLogits, withProbabilities } from './fixtures.ts';

const draws: [name: string, draw: (candidates: Candidates, random: RandomSource) => number][] = [
  ['drawByWeight', drawByWeight],
  [
    'drawByProbability',
    (candidates, random) => {
      softmax(candidates);
      return drawByProbability(candidates, random);
    },
  ],
];

describe.each(draws)('%s', (_, draw) => {
  it('draws the candidate in whose share the random number falls', () => {
    const shares = [0.2, 0.5, 0.3];
    const drawn = [0, 0.19, 0.21, 0.69, 0.71, 0.999].map((at) => draw(withProbabilities(shares), uniforms(at)));
    expect(drawn).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('draws each candidate as often as its probability says', () => {
    const shares = [0.1, 0.2, 0.3, 0.4];
    const times = 20_000;
    const random = createMersenneTwister(2024);
    const counts = [0, 0, 0, 0];
    for (let time = 0; time < times; time++) {
      const index = draw(withProbabilities(shares), random);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    const chiSquare = sum(shares.map((share, index) => ((counts[index] ?? 0) - share * times) ** 2 / (share * times)));
    // With 3 degrees of freedom, chance alone exceeds 16.27 once in a thousand times.
    expect(chiSquare).toBeLessThan(16.27);
  });

  it('never draws a token of probability 0', () => {
    const random = createMersenneTwister(7);
    for (let time = 0; time < 100; time++) {
      expect(draw(withLogits([-Infinity, 0, -200, 0]), random) % 2).toBe(1);
    }
  });
});

it('takes a random number for a single candidate by weight, but not by probability, as llama.cpp does', () => {
  expect(() => drawByWeight(withLogits([1]), uniforms())).toThrow('one random number too many');
  expect(drawByProbability(withLogits([1]), uniforms())).toBe(0);
});

describe('softmax', () => {
  it('sums to 1 and is e^logit in proportion', () => {
    fc.assert(
      fc.property(someLogits, (logits) => {
        const candidates = withLogits(logits);
        softmax(candidates);
        const probabilities = probabilitiesOf(candidates);
        expect(sum(probabilities)).toBeCloseTo(1, 5);
        softmaxOf(logits).forEach((share, index) => {
          expect(probabilities[index]).toBeCloseTo(share, 5);
        });
      }),
    );
  });
});
