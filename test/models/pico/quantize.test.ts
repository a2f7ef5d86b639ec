import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantize, toHalf } from '../../../models/pico/quantize.ts';

/** The number that a half-precision number's bits stand for. */
function fromHalf(bits: number): number {
  const exponent = bits >> 10;
  const mantissa = (bits & 1023) / 1024;
  return exponent === 0 ? mantissa * 2 ** -14 : (1 + mantissa) * 2 ** (exponent - 15);
}

describe('half precision', () => {
  it('takes every half-precision number as it is', () => {
    for (let bits = 0; bits < 31 << 10; bits++) expect(toHalf(fromHalf(bits))).toBe(bits);
  });

  it('takes the nearest one for all others', () => {
    fc.assert(
      fc.property(fc.float({ min: 0, max: 60_000, noNaN: true }), (value) => {
        const bits = toHalf(value);
        const error = Math.abs(fromHalf(bits) - value);
        expect(error).toBeLessThanOrEqual(Math.abs(fromHalf(bits + 1) - value));
        if (bits > 0) expect(error).toBeLessThanOrEqual(Math.abs(fromHalf(bits - 1) - value));
      }),
    );
  });
});

describe('Q8_0', () => {
  it('is a scale and 32 signed bytes for every 32 values, each off by at most half a step', () => {
    // A scale too small for a normal half is off by up to 2^-25, which 127 steps of it multiply.
    const coarsest = 127 * 2 ** -25;
    fc.assert(
      fc.property(fc.array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: 64, maxLength: 64 }), (list) => {
        const values = Float32Array.from(list);
        const bytes = quantize(values);
        expect(bytes).toHaveLength(68);
        const view = new DataView(bytes.buffer);
        for (const [index, value] of values.entries()) {
          const start = Math.floor(index / 32) * 34;
          const scale = fromHalf(view.getUint16(start, true));
          const restored = scale * view.getInt8(start + 2 + (index % 32));
          expect(Math.abs(restored - value)).toBeLessThanOrEqual(scale * 0.57 + coarsest);
        }
      }),
    );
  });

  it('takes whole blocks only', () => {
    expect(() => quantize(new Float32Array(33))).toThrow('33 values are no whole number of blocks of 32');
  });
});
