import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequantize, fromHalf, quantize, toHalf } from '../../../models/pico/quantize.ts';

describe('half precision', () => {
  it('is IEEE 754', () => {
    expect([0, 0x0001, 0x3c00, 0x3555, 0x7bff].map(fromHalf)).toEqual([0, 2 ** -24, 1, 0.333251953125, 65504]);
  });

  it('takes every half-precision number as it is', () => {
    const all = Array.from({ length: 31 << 10 }, (_, bits) => bits);
    expect(all.filter((bits) => toHalf(fromHalf(bits)) !== bits)).toEqual([]);
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
        const restored = dequantize(bytes);
        const wrong = list.filter((_, index) => {
          const scale = fromHalf(view.getUint16(Math.floor(index / 32) * 34, true));
          const error = Math.abs((restored[index] ?? Number.NaN) - (values[index] ?? Number.NaN));
          return !(error <= scale * 0.57 + coarsest);
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('takes whole blocks only', () => {
    expect(() => quantize(new Float32Array(33))).toThrow('33 values are no whole number of blocks of 32');
  });
});
