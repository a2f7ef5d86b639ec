import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf, tokenizePrompt } from '../../src/engine/tokenize.ts';

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

it('a text is tokenized no further than to the most tokens that are wanted', async () => {
  let characters = 0;
  const tokenize = ({ text }: { text: string }) => {
    characters += text.length;
    return Array<number>(text.length).fill(1);
  };
  const text = 'a '.repeat(500_000);
  const pause = () => Promise.resolve();
  const whole = await tokenizePrompt([{ text, literal: false }], { tokenize, pause, signal: undefined, most: 50_000 });
  expect(whole && 'tokens' in whole && whole.tokens.length > 50_000).toBe(true);
  expect(characters).toBeLessThan(100_000);
});
