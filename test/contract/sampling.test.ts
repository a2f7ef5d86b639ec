import { describe, expect, it } from 'vitest';
import { LLAMA_RANDOM_SEED, seedAfter } from '../../src/contract/sampling.ts';

describe('the seed of a later choice', () => {
  it.each([
    [0, 0, 0],
    [42, 7, 49],
    [LLAMA_RANDOM_SEED - 2, 1, LLAMA_RANDOM_SEED - 1],
    [LLAMA_RANDOM_SEED - 1, 1, 0],
    [LLAMA_RANDOM_SEED - 1, 7, 6],
  ])('%i + %i is %i, and never the one that means a random seed to llama.cpp', (seed, steps, next) => {
    expect(seedAfter(seed, steps)).toBe(next);
  });
});
