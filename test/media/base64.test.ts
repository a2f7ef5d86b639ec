import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../src/media/base64.ts';

const LIMIT = 1000;

function decode(text: string, limit = LIMIT): number[] {
  return [...decodeBase64(text, limit)];
}

describe('base64', () => {
  it('is decoded to the original bytes, with or without padding, and with line ends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), fc.boolean(), (bytes, padded, inLines) => {
        let text = Buffer.from(bytes).toString('base64');
        if (!padded) text = text.replace(/=+$/, '');
        if (inLines) text = text.replace(/.{1,76}/g, '$&\r\n');
        expect(decode(text)).toEqual([...bytes]);
      }),
    );
  });

  it.each([
    ['AAA*', "is not in base64: it has '*' at position 3."],
    ['AA-_', "is not in base64: it has '-' at position 2."],
    ['data:image/png;base64,AAAA', "is not in base64: it has ':' at position 4."],
    ['AAAé', 'is not in base64: it has the character 233 at position 3.'],
    ...['AAAAA', 'AA=A', 'AA=', 'AAAA====', '===='].map((text) => [
      text,
      'is no whole base64: its length or its padding is wrong.',
    ]),
  ])('%j is refused', (text = '', message = '') => {
    expect(() => decode(text)).toThrow(message);
  });

  it('is refused if it is too long', () => {
    expect(decode('A'.repeat(40), 30)).toHaveLength(30);
    expect(() => decode('A'.repeat(44), 30)).toThrow('is larger than the limit of 30 bytes.');
  });
});
