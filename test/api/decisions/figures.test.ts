import { describe, expect, it } from 'vitest';
import { choiceConfidence, expectedLevel, mostLikely, scoreConfidence } from '../../../src/api/decisions/figures.ts';

describe('the figures of an answer', () => {
  it('have the confidence of a choice between 0 for an even share and 1 for a sure winner', () => {
    expect(choiceConfidence([0.25, 0.25, 0.25, 0.25])).toBe(0);
    expect(choiceConfidence([0, 1, 0])).toBe(1);
    expect(choiceConfidence([0.86, 0.1, 0.04])).toBeCloseTo(0.79, 10);
    expect(choiceConfidence([1])).toBe(1);
  });

  it('have the expected level of a score, and how close the levels lie to the likeliest', () => {
    const probabilities = [0.05, 0.25, 0.7];
    expect(expectedLevel(probabilities)).toBeCloseTo(1.65, 10);
    expect(scoreConfidence(probabilities)).toBeCloseTo(0.475, 10);
    expect(scoreConfidence([0, 0, 1])).toBe(1);
    expect(scoreConfidence([0.5, 0, 0.5])).toBe(0);
  });

  it('name the first of several most likely options', () => {
    expect(mostLikely([0.2, 0.4, 0.4])).toBe(1);
  });
});
