import { describe, expect, it } from 'vitest';
import { createPromptLookup } from '../../../../src/engine/native/draw/prompt-lookup.ts';
import { makeRandom } from '../../../kit/random.ts';

const lookupOf = (history: number[]) => {
  const lookup = createPromptLookup(history);
  lookup.update();
  return lookup;
};

describe('a lookup in prompt and reply', () => {
  it('goes on as the text went on when its last three tokens came before', () => {
    expect(lookupOf([1, 2, 3, 4, 5, 6, 9, 1, 2, 3]).guess(3)).toEqual([4, 5, 6]);
  });

  it('guesses nothing for what is new', () => {
    expect(lookupOf([1, 2, 3, 4, 5, 6, 7, 2, 3]).guess(3)).toEqual([]);
    expect(lookupOf([1, 2]).guess(3)).toEqual([]);
    expect(lookupOf([]).guess(3)).toEqual([]);
  });

  it('takes the place with the most equal tokens before it, and of several the latest', () => {
    expect(lookupOf([7, 1, 2, 3, 10, 8, 1, 2, 3, 20, 7, 1, 2, 3]).guess(1)).toEqual([10]);
    expect(lookupOf([7, 1, 2, 3, 10, 7, 1, 2, 3, 20, 7, 1, 2, 3]).guess(1)).toEqual([20]);
  });

  it('goes round for a text that repeats itself', () => {
    expect(lookupOf([9, 1, 2, 1, 2, 1, 2]).guess(5)).toEqual([1, 2, 1, 2, 1]);
    expect(lookupOf([4, 4, 4, 4]).guess(3)).toEqual([4, 4, 4]);
  });

  it('takes in the tokens of the reply as they come', () => {
    const history = [1, 2, 3, 4];
    const lookup = lookupOf(history);
    for (const token of [50, 51, 52, 53, 7, 50, 51, 52]) {
      history.push(token);
      lookup.update();
    }
    expect(lookup.guess(2)).toEqual([53, 7]);
  });

  it('finds in thousands of tokens what a search finds', () => {
    const random = makeRandom(3);
    const history: number[] = [];
    const lookup = createPromptLookup(history);
    let found = 0;
    for (let count = 0; count < 5000; count++) {
      history.push(random() % 30);
      lookup.update();
      const [guess] = lookup.guess(1);
      const last = history.slice(-3);
      const before = history.findIndex(
        (_, at) => at + 3 < history.length && last.every((token, offset) => history[at + offset] === token),
      );
      // A bucket that is full of other tokens may hide a place, but nothing is found that is not there.
      if (before === -1) expect(guess).toBeUndefined();
      if (guess === undefined) continue;
      found += 1;
      const follows = history.some(
        (_, at) =>
          history[at + 3] === guess &&
          at + 3 < history.length &&
          last.every((token, offset) => history[at + offset] === token),
      );
      expect(follows).toBe(true);
    }
    expect(found).toBeGreaterThan(100);
  });
});
