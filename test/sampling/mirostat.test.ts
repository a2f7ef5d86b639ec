import { describe, expect, it } from 'vitest';
import { createMersenneTwister } from '../../src/sampling/mersenne-twister.ts';
import { drawMirostat1, drawMirostat2, startMirostat } from '../../src/sampling/mirostat.ts';
import { tokensOf, uniforms, withLogits, withProbabilities } from './fixtures.ts';

it('starts with twice the target as the highest surprise', () => {
  expect(startMirostat(5, 0.25)).toEqual({ tau: 5, eta: 0.25, mu: 10 });
});

describe('drawMirostat2', () => {
  const shares = [0.125, 0.5, 0.25, 0.125];

  it('removes tokens that are too surprising and learns from its draw: two steps calculated by hand', () => {
    const state = startMirostat(1.25, 0.1);
    const random = uniforms(0.5, 0.9);

    const first = withProbabilities(shares);
    // The surprises are 1, 2, 3 and 3 bits, and mu is 2.5. Two tokens are left, with probabilities 2/3 and 1/3.
    expect(drawMirostat2(first, state, random)).toBe(0);
    expect(tokensOf(first)).toEqual([1, 2]);
    expect(state.mu).toBeCloseTo(2.5 - 0.1 * (Math.log2(3 / 2) - 1.25), 5);

    const before = state.mu;
    expect(drawMirostat2(withProbabilities(shares), state, random)).toBe(1);
    expect(state.mu).toBeCloseTo(before - 0.1 * (Math.log2(3) - 1.25), 5);
  });

  it('keeps the most probable token even if it is too surprising', () => {
    const candidates = withLogits([0, 0, 0, 0]);
    const state = startMirostat(0.5, 0.1);
    expect(drawMirostat2(candidates, state, uniforms())).toBe(0);
    expect(candidates.size).toBe(1);
    expect(state.mu).toBeCloseTo(1.05, 5);
  });

  it('steers the average surprise to the target', () => {
    const logits = Array.from({ length: 500 }, (_, rank) => -1.1 * Math.log(rank + 1));
    const state = startMirostat(3, 0.1);
    const random = createMersenneTwister(1);
    let total = 0;
    const steps = 400;
    for (let step = 0; step < steps; step++) {
      const candidates = withLogits(logits);
      const index = drawMirostat2(candidates, state, random);
      total -= Math.log2(candidates.probabilities[index] ?? 0);
    }
    expect(total / steps).toBeCloseTo(3, 0);
  });
});

describe('drawMirostat1', () => {
  const vocabularySize = 100;
  const zipf = (exponent: number, size = 4) =>
    Array.from({ length: size }, (_, rank) => -exponent * Math.log(rank + 1)).reverse();

  it('fits the exponent, keeps the number of tokens that follows, and learns: two steps calculated by hand', () => {
    const state = startMirostat(1.5, 0.5);
    const random = uniforms(0.5, 0.95);

    // The exponent is 1.5, so epsilon is 0.5: (0.5 * 2^3 / (1 - 100^-0.5))^(1 / 1.5) = 2.70.
    const first = withLogits(zipf(1.5));
    expect(drawMirostat1(first, state, random, vocabularySize)).toBe(0);
    expect(tokensOf(first)).toEqual([3, 2]);
    expect(state.mu).toBeCloseTo(3 - 0.5 * (Math.log2(1 + 2 ** -1.5) - 1.5), 4);
    expect(state.mu).toBeCloseTo(3.53163, 4);

    // (0.5 * 2^3.53163 / 0.9)^(1 / 1.5) = 3.46. The draw falls on the third token, which has probability 0.12448.
    const second = withLogits(zipf(1.5));
    expect(drawMirostat1(second, state, random, vocabularySize)).toBe(2);
    expect(tokensOf(second)).toEqual([3, 2, 1]);
    expect(state.mu).toBeCloseTo(3.53163 - 0.5 * (-Math.log2(0.12448) - 1.5), 4);
  });

  it('fits the 100 most probable tokens only', () => {
    const head = Array.from({ length: 100 }, (_, rank) => -1.5 * Math.log(rank + 1));
    const tail = new Array(400).fill(-50);
    const keptWith = (logits: number[]) => {
      const candidates = withLogits(logits);
      drawMirostat1(candidates, startMirostat(2, 0.1), uniforms(0.1), 500);
      return candidates.size;
    };
    expect(keptWith([...head, ...tail])).toBe(keptWith(head));
  });

  it('keeps one token if there is nothing to fit, and all if the number overflows', () => {
    const single = withLogits([3]);
    expect(drawMirostat1(single, startMirostat(5, 0.1), uniforms(), vocabularySize)).toBe(0);
    const certain = withLogits([0, -500, -501]);
    drawMirostat1(certain, startMirostat(5, 0.1), uniforms(), vocabularySize);
    expect(certain.size).toBe(1);
    const flat = withLogits([0, 0, 0, 0]);
    drawMirostat1(flat, startMirostat(5, 0.1), uniforms(0.1), vocabularySize);
    expect(flat.size).toBe(4);
  });
});
