import { describe, expect, it } from 'vitest';
import { demandOf, toPart, withGuess } from '../../../src/engine/native/proposal.ts';

const GUESS = { from: 1, share: 0.9, most: 4 };
const GUESSED = { tokens: [5, 6, 7], logitsAt: [0, 1, 2], guess: GUESS };
const ROWS = { embeddings: new Float32Array(1), width: 1, offset: 2, grid: null, bothWays: false };

describe('the demand of a reply', () => {
  it.each([
    ['is nothing before its first token', undefined, { reply: 0 }],
    ['is all tokens of a proposal without a guess', { tokens: [5, 6], logitsAt: [1] }, { reply: 2 }],
    ['leaves out its guess', GUESSED, { reply: 1, offer: { sequence: 3, tokens: 2, share: 0.9, most: 4 } }],
  ])('%s', (_, proposal, expected) => {
    expect(demandOf(proposal, 3)).toEqual(expected);
  });
});

describe('a proposal with a part of its guess', () => {
  it.each([
    ['no guess', 0, 9, [5], [0]],
    ['a part of it', 1, 9, [5, 6], [0, 1]],
    ['any tokens after it', 4, 9, [5, 6, 7, 0, 0], [0, 1, 2]],
    ['no more tokens than may follow', 9, 9, [5, 6, 7, 0, 0], [0, 1, 2]],
    ['no more tokens than there is room for', 4, 4, [5, 6, 7, 0], [0, 1, 2]],
  ])('has %s', (_, added, room, tokens, logitsAt) => {
    expect(withGuess(GUESSED, added, room)).toEqual({ tokens, logitsAt });
  });

  it('stays as it is without a guess', () => {
    expect(withGuess({ tokens: [5], logitsAt: [0] }, 4, 9)).toEqual({ tokens: [5], logitsAt: [0] });
  });
});

describe('the part of a pass', () => {
  /** An image before the tokens has one position, so that positions are 3 less than lengths. */
  const afterImage = { id: 2, length: 8, positionAfter: (length: number) => length - 3 };
  const text = { ...afterImage, positionAfter: (length: number) => length };
  const at = { sequence: 2, at: 8, highest: 4, tokens: [5], logitsAt: [] };

  it.each([
    ['has no position of its own in a text', text, undefined, at],
    ['follows an image at a smaller position', afterImage, undefined, { ...at, position: 5 }],
    ['has the position of its image', text, ROWS, { ...at, rows: ROWS, position: 6 }],
  ])('%s', (_, sequence, rows, expected) => {
    const proposal = { tokens: [5], logitsAt: [], guess: GUESS, ...(rows && { rows }) };
    expect(toPart(proposal, sequence, 4)).toEqual(expected);
  });
});
