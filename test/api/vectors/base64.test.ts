import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBase64 } from '../../../src/api/vectors/base64.ts';

describe('base64', () => {
  it.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foobar', 'Zm9vYmFy'],
  ])('encodes the example of its standard %j', (text, encoded) => {
    expect(toBase64(new TextEncoder().encode(text))).toBe(encoded);
  });

  it('encodes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      }),
    );
  });

  it.each([12_287, 12_288, 12_289, 1_000_000])('encodes %i bytes as one text', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 31);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });
});
