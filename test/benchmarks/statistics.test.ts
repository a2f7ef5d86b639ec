import { describe, expect, it } from 'vitest';
import { medianOf, pairedRatio, percentile, turns } from '../../benchmarks/statistics.ts';

describe('a percentile', () => {
  it('is the value that so many of the numbers do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
  });

  it('of few numbers is one of them, and of none is null', () => {
    expect(percentile([3, 1, 2], 0.99)).toBe(3);
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNull();
  });
});

describe('pairs', () => {
  it('keep a machine that gets slower out of the ratio', () => {
    // The first endpoint is always twice as fast, while both lose speed.
    expect(pairedRatio([100, 50, 20], [50, 25, 10])).toBe(2);
  });

  it('leave out what was not measured', () => {
    expect(pairedRatio([100, null, 30], [50, 25, 10])).toBe(3);
    expect(pairedRatio([null], [5])).toBeNull();
    expect(pairedRatio([5], [])).toBeNull();
    expect(medianOf([null, 4, null])).toBe(4);
    expect(medianOf([null])).toBeNull();
  });

  it('begin with another endpoint in each round', () => {
    expect([0, 1, 2].map((round) => turns(2, round))).toEqual([
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    expect(turns(3, 1)).toEqual([1, 2, 0]);
  });
});
