import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDetokenizer, type Detokenize } from '../../src/chat/detokenizer.ts';
import { anyCharacter } from '../support/any-character.ts';

const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
const decode = (bytes: number[]): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** A vocabulary in which every byte is a token. */
const bytewise: Detokenize = (tokens) => decode(tokens);

/** A vocabulary of these byte sequences. A token is the index of its sequence. */
function vocabularyOf(pieces: number[][]): Detokenize {
  return (tokens) => decode(tokens.flatMap((token) => pieces[token] ?? []));
}

/** Cuts the bytes into pieces. The lengths are used in turn. */
function cut(bytes: number[], lengths: number[]): number[][] {
  const pieces: number[][] = [];
  for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(bytes.slice(at, at + (lengths[pieces.length % lengths.length] ?? 1)));
  }
  return pieces;
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  fc.constantFrom('é', '€', '😀', '👩‍👩‍👧', '\uFEFF', ' ', '漢'),
);
const anyText = fc
  .array(character, { maxLength: 30 })
  .map((characters) => characters.join('').replaceAll('\uFFFD', '?'));

describe('detokenizer', () => {
  it('gives the text of whole characters at once', () => {
    const detokenizer = createDetokenizer(bytewise);
    expect(encode('Hi!').map((token) => detokenizer.push(token))).toEqual(['H', 'i', '!']);
  });

  it('waits for the tokens that complete a character', () => {
    const detokenizer = createDetokenizer(bytewise);
    expect(encode('a😀b').map((token) => detokenizer.push(token))).toEqual(['a', '', '', '', '😀', 'b']);
  });

  it('gives the whole characters of a token that ends within one', () => {
    const pieces = [encode('caf').concat(0xc3), [0xa9, 0xe2, 0x82], [0xac, 0x21]];
    const detokenizer = createDetokenizer(vocabularyOf(pieces));
    expect([0, 1, 2].map((token) => detokenizer.push(token))).toEqual(['caf', 'é', '€!']);
  });

  it('gives nothing for a token without text', () => {
    const detokenizer = createDetokenizer(vocabularyOf([[], encode('x')]));
    expect([0, 1, 0].map((token) => detokenizer.push(token))).toEqual(['', 'x', '']);
  });

  it('tells the vocabulary the last tokens of a text that goes on', () => {
    const spaced: Detokenize = (_, before) => (before.length > 0 ? ' word' : 'word');
    expect(createDetokenizer(spaced).push(1)).toBe('word');
    expect(createDetokenizer(spaced, [7, 8, 9, 10]).push(1)).toBe(' word');
  });

  it('tells the vocabulary which tokens came before', () => {
    const seen: [number[], number[]][] = [];
    const detokenizer = createDetokenizer((tokens, before) => {
      seen.push([[...tokens], [...before]]);
      return decode(tokens);
    });
    for (const token of [0x61, 0xc3, 0xa9, 0x62]) detokenizer.push(token);
    expect(seen).toEqual([
      [[0x61], []],
      [[0xc3], [0x61]],
      [[0xc3, 0xa9], [0x61]],
      [[0x62], [0xc3, 0xa9]],
    ]);
  });

  it('shows bytes that are not UTF-8 as the replacement character and goes on', () => {
    const detokenizer = createDetokenizer(bytewise);
    expect([0xff, 0x80, 0x61, 0x62].map((token) => detokenizer.push(token)).join('')).toBe('\uFFFD\uFFFDab');
  });

  it('gives a replacement character that belongs to the text as soon as more follows', () => {
    const detokenizer = createDetokenizer(bytewise);
    expect(
      encode('a\uFFFDb')
        .map((token) => detokenizer.push(token))
        .join(''),
    ).toBe('a\uFFFDb');
  });

  it('gives the original text back when every byte is a token', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const detokenizer = createDetokenizer(bytewise);
        expect(
          encode(text)
            .map((token) => detokenizer.push(token))
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('gives the original text back wherever the tokens cut it, without ever giving half a character', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(anyText, lengths, (text, pieceLengths) => {
        const pieces = cut(encode(text), pieceLengths);
        const detokenizer = createDetokenizer(vocabularyOf(pieces));
        const given = pieces.map((_, token) => detokenizer.push(token));
        expect(given.join('')).toBe(text);
        expect(given.filter((piece) => LONE_SURROGATE.test(piece) || piece.includes('\uFFFD'))).toEqual([]);
      }),
    );
  });

  it('holds back at most one character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const detokenizer = createDetokenizer(bytewise);
        let given = '';
        encode(text).forEach((token, index, bytes) => {
          given += detokenizer.push(token);
          const whole = decode(bytes.slice(0, index + 1));
          expect(given).toBe(whole.endsWith('\uFFFD') ? whole.slice(0, -1) : whole);
        });
      }),
    );
  });
});
