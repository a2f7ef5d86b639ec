import { describe, expect, it } from 'vitest';
import { createJoiner, joinTexts } from '../../../src/api/audio/join.ts';
import { windowsOf } from '../../../src/api/audio/windows.ts';

describe('the texts of two parts that overlap', () => {
  it.each([
    [
      'have the common words once',
      'the dog ran over the hill',
      'over the hill and into',
      'the dog ran over the hill and into',
    ],
    [
      'may differ in case and punctuation',
      'He said: over the hill.',
      'Over the hill, he ran',
      'He said: over the hill, he ran',
    ],
    [
      'may each be cut within a word',
      'he ran over the hills in the mor',
      'ills in the morning sun',
      'he ran over the hills in the morning sun',
    ],
    ['without a common word are joined by a space', 'one two', 'three four', 'one two three four'],
    ['with one short common word keep both', 'it is a', 'a bird', 'it is a a bird'],
    [
      'in a script without spaces are joined at common words',
      '今天天气很好我们去',
      '天气很好我们去公园',
      '今天天气很好我们去公园',
    ],
    ['in a script without spaces get none between them', '今天天气', '公园', '今天天气公园'],
    ['may be empty at the left', '', 'all', 'all'],
    ['may be empty at the right', 'all', ' ', 'all'],
  ])('%s', (_, before, after, joined) => {
    expect(joinTexts(before, after)).toBe(joined);
  });
});

describe('the transcript of several parts', () => {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(' ');

  it('is streamed as it is joined whole, however its pieces are cut', () => {
    const parts = [numbers(0, 60), numbers(52, 110), numbers(103, 120)];
    for (const size of [1, 7, 1000]) {
      const joiner = createJoiner(parts.length);
      let text = '';
      for (const [index, part] of parts.entries()) {
        for (let at = 0; at < part.length; at += size) text += joiner.add(part.slice(at, at + size));
        text += joiner.endPart(index === parts.length - 1);
      }
      expect(text, `pieces of ${size}`).toBe(numbers(0, 120));
    }
  });

  it('of a single part is passed on as it comes, without white space around it', () => {
    const joiner = createJoiner(1);
    expect([joiner.add(' '), joiner.add('Hello'), joiner.add(' there'), joiner.endPart(true)].join('|')).toBe(
      '|Hello| there|',
    );
  });

  it('may have parts without words', () => {
    const joiner = createJoiner(3);
    const text = ['one two.', '', 'three']
      .map((part, index) => joiner.add(part) + joiner.endPart(index === 2))
      .join('');
    expect(text).toBe('one two. three');
  });
});

describe('the parts of a recording', () => {
  it.each([
    [1, [[0, 1]]],
    [29, [[0, 29]]],
    [
      30,
      [
        [0, 29],
        [27, 30],
      ],
    ],
    [
      56,
      [
        [0, 29],
        [27, 56],
      ],
    ],
    [
      57,
      [
        [0, 29],
        [27, 56],
        [54, 57],
      ],
    ],
  ])('of %i s overlap and end with it', (seconds, expected) => {
    expect(windowsOf(seconds).map(({ from, to }) => [from, to])).toEqual(expected);
  });
});
