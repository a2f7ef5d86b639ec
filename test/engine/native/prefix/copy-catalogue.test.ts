import { beforeEach, describe, expect, it } from 'vitest';
import {
  type CopyCatalogue,
  createCopyCatalogue,
  usefulLength,
} from '../../../../src/engine/native/prefix/copy-catalogue.ts';
import { createPrefix } from '../../../../src/engine/native/prefix/prefix.ts';
import type { ToldCopy } from '../../../../src/engine/node/copy-messages.ts';

const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const prefix = (count: number, scope = '') => createPrefix(scope, tokens(count));
const told = (name: string, count: number, more: Partial<ToldCopy> = {}): ToldCopy => ({
  name,
  tier: 'ram',
  bytes: 1000,
  scope: '',
  tokens: Uint32Array.from(tokens(count)),
  ...more,
});

let catalogue: CopyCatalogue;
const add = (...copies: ToldCopy[]) => catalogue.update({ kind: 'added', copies });
const found = (count: number) =>
  catalogue
    .sharing(prefix(count), ({ tier }) => (tier === 'ram' ? 1 : 10))
    .map(({ copy, length, ms }) => [copy.name, length, ms]);

beforeEach(() => {
  catalogue = createCopyCatalogue(false);
});

describe('the useful length of a copy', () => {
  it.each([
    ['all that it shares', prefix(100), prefix(80), false, 80],
    ['nothing of another scope', prefix(100, 'b'), prefix(80), false, 0],
    ['nothing where it must be whole', prefix(100), prefix(80), true, 0],
    ['all of it where it is whole', prefix(80), prefix(100), true, 80],
  ])('is %s', (_, copy, wanted, wholeOnly, expected) => {
    expect(usefulLength(copy, wanted, wholeOnly)).toBe(expected);
  });
});

describe('the catalogue of copies', () => {
  it('finds the longest copy first, and the quickest of equally long ones', () => {
    add(told('short', 32), told('slow', 64, { tier: 'disk' }), told('quick', 64), told('other', 64, { scope: 'b' }));
    expect(found(100)).toEqual([
      ['quick', 64, 1],
      ['slow', 64, 10],
      ['short', 32, 1],
    ]);
  });

  it('follows what the store says', () => {
    add(told('a', 64));
    catalogue.update({ kind: 'moved', name: 'a', tier: 'disk' });
    catalogue.update({ kind: 'moved', name: 'unknown', tier: 'disk' });
    expect(found(100)).toEqual([['a', 64, 10]]);
    add(told('a', 32));
    expect(found(100)).toEqual([['a', 32, 1]]);
    catalogue.update({ kind: 'dropped', name: 'a' });
    expect(found(100)).toEqual([]);
  });

  it('does not find a copy that it has to forget', () => {
    add(told('a', 64));
    for (const { copy } of catalogue.sharing(prefix(100), () => 1)) catalogue.forget(copy);
    expect(found(100)).toEqual([]);
  });

  it('names the copies that lie in a longer one, but for a few tokens at their end', () => {
    const another = Uint32Array.from([...tokens(100), ...tokens(63, 900)]);
    add(told('within', 100), told('nearly', 163, { tokens: another }), told('longer', 400));
    expect(catalogue.replacedBy(prefix(200)).sort()).toEqual(['nearly', 'within']);
  });

  it('names none where a copy is of use as a whole only', () => {
    catalogue = createCopyCatalogue(true);
    add(told('within', 100));
    expect(catalogue.replacedBy(prefix(200))).toEqual([]);
  });
});
