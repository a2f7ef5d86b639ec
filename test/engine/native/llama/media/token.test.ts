import { describe, expect, it } from 'vitest';
import {
  cuttableLength,
  extentOf,
  isTextToken,
  mediaTokens,
  openPiece,
  positionAfter,
} from '../../../../../src/engine/native/llama/media/token.ts';

const seed = Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const line = mediaTokens(seed, 5, { kind: 'line' });
const block = mediaTokens(seed, 5, { kind: 'block' });
/** Six tokens in rows and columns that take three positions. */
const grid = mediaTokens(seed, 6, { kind: 'grid', positions: 3 });

describe('the tokens of media', () => {
  it('are in no vocabulary, and fit 32 bits', () => {
    for (const token of [...line, ...block, ...grid]) {
      expect(isTextToken(token)).toBe(false);
      expect(Uint32Array.of(token)[0]).toBe(token);
    }
    expect(isTextToken(2_000_000)).toBe(true);
  });

  it('differ from one another, and from those of other media', () => {
    const other = mediaTokens(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 9), 1000, { kind: 'line' });
    const own = mediaTokens(seed, 1000, { kind: 'line' });
    expect(new Set(own).size).toBe(1000);
    expect(own.filter((token, index) => token === other[index]).length).toBeLessThan(1000);
    expect(mediaTokens(seed, 1000, { kind: 'line' })).toEqual(own);
  });

  it('of many pieces share no token at the same place', () => {
    const pieces = Array.from({ length: 500 }, (_, index) => mediaTokens(Uint32Array.of(index), 4, { kind: 'block' }));
    expect(new Set(pieces.map((tokens) => tokens.join())).size).toBe(500);
  });
});

describe('a position', () => {
  it('follows each token of a text, a line and a block', () => {
    expect(positionAfter([1, ...line, 2])).toBe(7);
    expect(positionAfter([1, ...block, 2], 3)).toBe(3);
    expect(extentOf([1, ...line, 2])).toBe(7);
  });

  it('after a grid is as far on as the grid tells', () => {
    expect(positionAfter([1, 2, ...grid, 3])).toBe(2 + 3 + 1);
    expect(positionAfter([1, 2, ...grid], 5)).toBe(2 + 3);
    const large = mediaTokens(seed, 4000, { kind: 'grid', positions: 2047 });
    expect(positionAfter(large)).toBe(2047);
  });

  it('is the last one of a sequence that ends with a grid or a part of it', () => {
    expect(extentOf([1, 2, ...grid])).toBe(3);
    expect(extentOf([1, 2, ...grid], 4)).toBe(3);
    expect(extentOf([1, 2, ...grid, 3])).toBe(6);
    expect(extentOf([1, 2, ...grid], 2)).toBe(2);
    expect(extentOf([])).toBe(0);
  });
});

describe('a sequence', () => {
  it('can be cut within a text and a line, and before a block and a grid', () => {
    for (const length of [0, 1, 3, 7]) expect(cuttableLength([1, ...line, 2], length)).toBe(length);
    for (const piece of [block, grid]) {
      expect(cuttableLength([1, ...piece, 2], 3)).toBe(1);
      expect(cuttableLength([1, ...piece, 2], 1)).toBe(1);
      expect(cuttableLength([1, ...piece, 2], 1 + piece.length)).toBe(1 + piece.length);
      expect(cuttableLength([1, ...piece], 1 + piece.length)).toBe(1 + piece.length);
    }
    expect(cuttableLength([...block, ...grid], 8)).toBe(5);
  });

  it('ends with a grid or does not', () => {
    expect(openPiece([1, ...grid])).toBe(1);
    expect(openPiece([1, ...grid], 3)).toBe(1);
    expect(openPiece([1, ...grid, 2])).toBe(8);
    expect(openPiece([...grid, ...grid])).toBe(6);
    expect(openPiece([1, ...block])).toBe(6);
    expect(openPiece([])).toBe(0);
  });
});
