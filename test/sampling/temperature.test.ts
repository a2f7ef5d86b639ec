import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaleByEntropy, scaleByTemperature } from '../../src/sampling/temperature.ts';
import { logitsOf, someLogits, tokensOf, withLogits, withProbabilities } from './fixtures.ts';

describe('scaleByTemperature', () => {
  it('divides the logits', () => {
    const candidates = withLogits([4, -2, 1]);
    scaleByTemperature(candidates, 0.5);
    expect(logitsOf(candidates)).toEqual([8, -4, 2]);
  });

  it('leaves only the first of the highest logits at 0', () => {
    const candidates = withLogits([1, 3, 3, 2]);
    scaleByTemperature(candidates, 0);
    expect(logitsOf(candidates)).toEqual([-Infinity, 3, -Infinity, -Infinity]);
  });
});

describe('scaleByEntropy', () => {
  it('is a fixed temperature without a range', () => {
    const candidates = withLogits([1, 4]);
    scaleByEntropy(candidates, { temperature: 2, range: 0, exponent: 1 });
    expect(logitsOf(candidates)).toEqual([0.5, 2]);
  });

  it('is hottest if all tokens are equally probable', () => {
    const candidates = withLogits([3, 3, 3, 3]);
    scaleByEntropy(candidates, { temperature: 1, range: 0.5, exponent: 1 });
    for (const logit of logitsOf(candidates)) expect(logit).toBeCloseTo(3 / 1.5, 5);
  });

  it('is coldest if one token is certain, and never below 0', () => {
    const certain = withLogits([60, 0]);
    scaleByEntropy(certain, { temperature: 1, range: 0.5, exponent: 1 });
    expect(logitsOf(certain)).toEqual([120, 0]);
    const frozen = withLogits([200, 0]);
    scaleByEntropy(frozen, { temperature: 1, range: 2, exponent: 1 });
    expect(logitsOf(frozen)).toEqual([200, -Infinity]);
  });

  it('follows a power of the entropy, as a share of the greatest possible one', () => {
    const share = (0.75 * Math.log2(4 / 3) + 0.25 * 2) / 1;
    for (const exponent of [0.5, 1, 2]) {
      const candidates = withProbabilities([0.25, 0.75]);
      scaleByEntropy(candidates, { temperature: 0.8, range: 0.3, exponent });
      const temperature = 0.5 + 0.6 * share ** exponent;
      expect(tokensOf(candidates)).toEqual([1, 0]);
      expect(logitsOf(candidates)[0]).toBeCloseTo(Math.log(0.75) / temperature, 5);
      expect(logitsOf(candidates)[1]).toBeCloseTo(Math.log(0.25) / temperature, 5);
    }
  });

  it('leaves a single candidate as it is', () => {
    const candidates = withLogits([5]);
    scaleByEntropy(candidates, { temperature: 2, range: 1, exponent: 1 });
    expect(logitsOf(candidates)).toEqual([5]);
  });

  it('stays within its range and keeps the order', () => {
    fc.assert(
      fc.property(someLogits, (logits) => {
        fc.pre(new Set(logits).size > 1);
        const candidates = withLogits(logits);
        scaleByEntropy(candidates, { temperature: 1, range: 0.5, exponent: 1 });
        const scaled = logitsOf(candidates);
        const spread = Math.max(...logits) - Math.min(...logits);
        const temperature = spread / (Math.max(...scaled) - Math.min(...scaled));
        expect(temperature).toBeGreaterThan(0.499);
        expect(temperature).toBeLessThan(1.501);
        expect(scaled).toEqual(scaled.toSorted((a, b) => b - a));
      }),
    );
  });
});
