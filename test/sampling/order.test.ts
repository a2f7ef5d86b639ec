import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descendingOrder } from '../../src/sampling/order.ts';

const floats = fc.array(fc.float({ noNaN: true }).filter((value) => !Object.is(value, -0)));

describe('descendingOrder', () => {
  it('orders negative and positive numbers and infinities', () => {
    const values = Float32Array.of(-1, 3, -Infinity, 0, 3.5, Infinity, -1.5, 1e-40);
    expect([...descendingOrder(values)]).toEqual([5, 4, 1, 7, 3, 0, 6, 2]);
  });

  it('keeps the order of equal values', () => {
    expect([...descendingOrder(Float32Array.of(1, 2, 1, 2, 1))]).toEqual([1, 3, 0, 2, 4]);
  });

  it('sorts like a stable comparison sort, and keeps the beginning of the same order', () => {
    fc.assert(
      fc.property(floats, fc.nat(), (values, anyNumber) => {
        const expected = [...values.keys()].sort((a, b) => compareDescending(values[a] ?? 0, values[b] ?? 0));
        const keep = anyNumber % (values.length + 1);
        expect([...descendingOrder(Float32Array.from(values))]).toEqual(expected);
        expect([...descendingOrder(Float32Array.from(values), keep)]).toEqual(expected.slice(0, keep));
      }),
    );
  });

  it('sorts part of a larger buffer', () => {
    expect([...descendingOrder(Float32Array.of(9, 1, 2, 9).subarray(1, 3))]).toEqual([1, 0]);
  });
});

/** Compares without a subtraction, since the difference of two infinities is not a number. */
function compareDescending(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}
