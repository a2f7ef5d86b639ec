// @module-tag slow
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../support/repeats.ts';
import { matcherOf } from '../fixtures.ts';
import { noBundle, readBundle } from './bundle.ts';
import { type BundleCase, readCases } from './cases.ts';
import { comparable, prepareCase } from './drive.ts';
import { CASES, KINDS } from './otherwise.ts';

// llama.cpp's own tests of replies, read from its source: this raw text of that model is this message.

describe.skipIf(noBundle)(`the replies of llama.cpp's tests${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  let templates: Map<string, string>;
  let cases: BundleCase[];
  let unread: number;

  beforeAll(() => {
    const source = readBundle();
    templates = source.templates;
    ({ cases, unread } = readCases(source.tests));
  }, 60_000);

  /** Returns the verdict on a case. */
  const judge = (one: BundleCase): 'agrees' | 'otherwise' | 'wrong' => {
    const { read, grammar } = prepareCase(one, templates.get(one.template) ?? '');
    const actual = read([one.raw]);
    const isPossible = grammar === null || matcherOf(grammar)(one.raw.trim());
    if (isPossible && isDeepStrictEqual(comparable(actual), comparable(one.expected))) return 'agrees';
    if (one.name in CASES) return 'otherwise';
    return KINDS.some((kind) => kind.applies(one) && kind.holds(one.expected, actual)) ? 'otherwise' : 'wrong';
  };

  it('are all found', () => {
    expect(cases.length).toBeGreaterThanOrEqual(461);
    expect(unread).toBe(0);
  });

  it('are read as llama.cpp reads them, or are meant to be read otherwise', () => {
    const names = { agrees: [], otherwise: [], wrong: [] } as Record<ReturnType<typeof judge>, string[]>;
    for (const one of cases) names[judge(one)].push(one.name);
    expect(names.wrong).toEqual([]);
    expect(names.agrees.length).toBeGreaterThanOrEqual(443);
    expect(Object.keys(CASES).filter((name) => !names.otherwise.includes(name))).toEqual([]);
  }, 120_000);

  it('are read the same way when they are cut at every character', () => {
    const different = sample(cases, 4).filter((one) => {
      const { read } = prepareCase(one, templates.get(one.template) ?? '');
      const whole = read([one.raw]);
      return (
        !isDeepStrictEqual(read([...one.raw]), whole) ||
        [...one.raw].some((_, at) => !isDeepStrictEqual(read([one.raw.slice(0, at), one.raw.slice(at)]), whole))
      );
    });
    expect(different.map(({ name }) => name)).toEqual([]);
  }, 120_000);
});
