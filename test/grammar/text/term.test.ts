import { describe, expect, it } from 'vitest';
import type { Range } from '../../../src/grammar/gbnf/ranges.ts';
import { derivative } from '../../../src/grammar/text/derivative.ts';
import { multiplesTerm } from '../../../src/grammar/text/multiples.ts';
import {
  andTerm,
  charactersTerm,
  createTermPool,
  notTerm,
  orTerm,
  repeatTerm,
  sequenceTerm,
  type TermPool,
  type TextTerm,
} from '../../../src/grammar/text/term.ts';

const MANY = Number.POSITIVE_INFINITY;
const pool = createTermPool(() => {});
const { never, empty, any } = pool;
const range = (from: string, to = from): Range => [from.charCodeAt(0), to.charCodeAt(0)];
const [a, b, c] = [
  charactersTerm(pool, [range('a')]),
  charactersTerm(pool, [range('b')]),
  charactersTerm(pool, [range('c')]),
];

/** True if the term has the text: the term behind its last character may be empty. */
function has(of: TermPool, term: TextTerm, text: string): boolean {
  let rest = term;
  for (const character of text) rest = derivative(of, rest, character.codePointAt(0) ?? 0);
  return rest.nullable;
}

describe('equal terms are the same object', () => {
  it.each<[string, TextTerm, TextTerm]>([
    ['a set of no characters is never', charactersTerm(pool, []), never],
    ['never before a term', sequenceTerm(pool, never, a), never],
    ['never behind a term', sequenceTerm(pool, a, never), never],
    ['empty before a term', sequenceTerm(pool, empty, a), a],
    ['empty behind a term', sequenceTerm(pool, a, empty), a],
    ['any text behind any text', sequenceTerm(pool, any, any), any],
    [
      'brackets in a sequence',
      sequenceTerm(pool, sequenceTerm(pool, a, b), c),
      sequenceTerm(pool, a, sequenceTerm(pool, b, c)),
    ],
    ['fewer than none', repeatTerm(pool, a, 2, 1), never],
    ['no times', repeatTerm(pool, a, 0, 0), empty],
    ['once', repeatTerm(pool, a, 1, 1), a],
    ['never, at least once', repeatTerm(pool, never, 1, MANY), never],
    ['never, perhaps no times', repeatTerm(pool, never, 0, MANY), empty],
    ['the empty text, however often', repeatTerm(pool, empty, 3, 5), empty],
    ['no alternatives', orTerm(pool, []), never],
    ['one alternative', orTerm(pool, [a]), a],
    ['the same alternative twice', orTerm(pool, [a, a]), a],
    ['alternatives in any order', orTerm(pool, [b, a]), orTerm(pool, [a, b])],
    ['alternatives within alternatives', orTerm(pool, [orTerm(pool, [c, a]), b]), orTerm(pool, [a, b, c])],
    ['any text, or another', orTerm(pool, [a, any]), any],
    ['no conditions', andTerm(pool, []), any],
    ['one condition', andTerm(pool, [a, any]), a],
    ['a condition that none meets', andTerm(pool, [a, never]), never],
    ['conditions in any order', andTerm(pool, [b, andTerm(pool, [c, a])]), andTerm(pool, [a, b, c])],
    ['not twice', notTerm(pool, notTerm(pool, a)), a],
    ['not any text', notTerm(pool, any), never],
    ['all but nothing', notTerm(pool, never), any],
  ])('%s', (_, term, same) => {
    expect(term).toBe(same);
  });
});

describe('a term', () => {
  const twoOrThree = repeatTerm(pool, a, 2, 3);
  it.each<[string, TextTerm, string[], string[]]>([
    ['of characters', charactersTerm(pool, [range('a', 'c')]), ['a', 'c'], ['', 'd', 'ab']],
    ['that repeats', twoOrThree, ['aa', 'aaa'], ['', 'a', 'aaaa', 'ab']],
    ['in front of another', sequenceTerm(pool, twoOrThree, b), ['aab', 'aaab'], ['aa', 'ab']],
    [
      'that may be empty, in front of another',
      sequenceTerm(pool, repeatTerm(pool, a, 0, 1), b),
      ['b', 'ab'],
      ['a', 'aab'],
    ],
    ['with alternatives', orTerm(pool, [twoOrThree, b]), ['aa', 'b'], ['', 'a', 'aab']],
    ['with conditions', andTerm(pool, [twoOrThree, repeatTerm(pool, a, 3, MANY)]), ['aaa'], ['aa', 'aaaa']],
    ['of all other texts', notTerm(pool, twoOrThree), ['', 'a', 'aaaa', 'x'], ['aa', 'aaa']],
    [
      'of whole multiples',
      multiplesTerm(pool, { step: 7, digits: 0 }),
      ['0', '7', '-14', '98'],
      ['8', '-8', '7.0', 'x'],
    ],
    [
      'of multiples with digits behind the point',
      multiplesTerm(pool, { step: 25, digits: 2 }),
      ['1', '0.5', '0.25', '-3.75', '10.00'],
      ['0.3', '0.26', '1.', '0.500'],
    ],
  ])('%s', (_, term, texts, others) => {
    for (const text of texts) expect(has(pool, term, text), text).toBe(true);
    for (const text of others) expect(has(pool, term, text), text).toBe(false);
  });

  it('costs a step when it is made, and none when it is there already', () => {
    let steps = 0;
    const counting = createTermPool((count = 1) => {
      steps += count;
    });
    const before = steps;
    const make = () => repeatTerm(counting, counting.character, 2, 3);
    make();
    expect(steps).toBe(before + 1);
    make();
    expect(steps).toBe(before + 1);
  });
});
