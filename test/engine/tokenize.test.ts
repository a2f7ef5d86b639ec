import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../src/engine/tokenize.ts';

describe('the pieces of a long text', () => {
  it('are that text, cut before lines or words, never inside a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('word ', 'x', '🦙', '\n', '\n\n  ', 'line\n'), { maxLength: 300 }),
        (parts) => {
          const text = parts.join('');
          const pieces = piecesOf(text, 100, 20);
          expect(pieces.join('')).toBe(text);
          expect(pieces.every((piece) => piece.length <= 100 && Buffer.from(piece).toString() === piece)).toBe(true);
        },
      ),
    );
  });
});
