import { describe, expect, it } from 'vitest';
import { createMersenneTwister } from '../../src/sampling/mersenne-twister.ts';

const STANDARD_SEED = 5489;

describe('the Mersenne twister', () => {
  it('gives the published numbers of the standard seed', () => {
    const random = createMersenneTwister(STANDARD_SEED);
    const numbers = Array.from({ length: 10_000 }, () => random.nextInteger());
    expect(numbers.slice(0, 5)).toEqual([3499211612, 581869302, 3890346734, 3586334585, 545404204]);
    // The C++ standard demands this number, the 10,000th, of std::mt19937.
    expect(numbers[9_999]).toBe(4123659995);
  });

  it('makes a double of two integers, the low one first', () => {
    const random = createMersenneTwister(STANDARD_SEED);
    expect(random.nextUniform()).toBe((581869302 * 2 ** 32 + 3499211612) / 2 ** 64);
    expect(random.nextUniform()).toBeCloseTo(0.835009, 6);
    expect(random.nextUniform()).toBeCloseTo(0.968868, 6);
  });

  it('repeats itself for a seed and differs between seeds, over all 32 bits', () => {
    const first = (seed: number) => createMersenneTwister(seed).nextInteger();
    const seeds = [0, 1, 42, 2 ** 31, 2 ** 32 - 2];
    expect(seeds.map(first)).toEqual(seeds.map(first));
    expect(new Set(seeds.map(first)).size).toBe(seeds.length);
  });
});
