import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestLogits, softmaxWeight } from '../../src/sampling/highest.ts';

/** Sorts all logits, as nobody would for a large vocabulary. */
function sorted(logits: Float32Array, count: number): number[] {
  return [...logits.keys()]
    .filter((token) => (logits[token] ?? Number.NaN) > Number.NEGATIVE_INFINITY)
    .sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b)
    .slice(0, count);
}

describe('the highest logits', () => {
  it('are those of all logits in order, equal ones by token, for any number of them', () => {
    // Few different values, so that many are equal.
    const values = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.float(), fc.constant(Number.NEGATIVE_INFINITY));
    fc.assert(
      fc.property(fc.array(values, { maxLength: 200 }), fc.integer({ min: 1, max: 220 }), (numbers, count) => {
        const logits = Float32Array.from(numbers);
        const expected = sorted(logits, count);
        const found = highestLogits(logits, count);
        expect(found.tokens).toEqual(expected);
        expect(found.logits).toEqual(expected.map((token) => logits[token]));
      }),
    );
  });

  it('leave out what is no number, and tokens that can not come next', () => {
    const logits = Float32Array.of(Number.NaN, 1, Number.NEGATIVE_INFINITY, 2);
    expect(highestLogits(logits, 4)).toEqual({ tokens: [3, 1], logits: [2, 1] });
    expect(highestLogits(logits, 1)).toEqual({ tokens: [3], logits: [2] });
    expect(highestLogits(new Float32Array(8).fill(Number.NEGATIVE_INFINITY), 1)).toEqual({ tokens: [], logits: [] });
  });
});

it('the weight of all logits is the denominator of the softmax', () => {
  expect(softmaxWeight(Float32Array.of(0, Math.log(3), -1000), Math.log(3))).toBeCloseTo(1 + 1 / 3, 6);
});
