import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import {
  BLOCK,
  createPrefix,
  isAlone,
  scopeAlone,
  scopeWithAdapters,
  sharedLength,
} from '../../../../src/engine/native/prefix/prefix.ts';
import { createPrefixIndex } from '../../../../src/engine/native/prefix/prefix-index.ts';

const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

/** Few different tokens, so that prompts often begin alike. */
const anyPrompt = fc
  .array(fc.nat({ max: 1 }), { maxLength: 6 })
  .map((turns) => turns.flatMap((turn) => tokens(20, turn)));

describe('a prefix', () => {
  it('has a hash for each whole block, of all tokens before its end', () => {
    const { hashes } = createPrefix('', tokens(2 * BLOCK + 3));
    expect(hashes).toHaveLength(2);
    expect(createPrefix('', tokens(BLOCK)).hashes).toEqual(hashes.slice(0, 1));
    expect(createPrefix('', [...tokens(BLOCK, 1), ...tokens(BLOCK, BLOCK)]).hashes[1]).not.toBe(hashes[1]);
    expect(hashes.every(Number.isSafeInteger)).toBe(true);
  });

  it('has other hashes in another scope, and shares nothing with it', () => {
    const [ours, theirs] = [createPrefix('a', tokens(BLOCK)), createPrefix('b', tokens(BLOCK))];
    expect(theirs.hashes).not.toEqual(ours.hashes);
    expect(sharedLength(ours, theirs)).toBe(0);
    expect(sharedLength(ours, createPrefix('a', tokens(5)))).toBe(5);
  });

  it('shares nothing with one of other adapters, whoever may share it', () => {
    const scopes = ['', 'ada'].flatMap((scope) =>
      ['', '[["a",1]]', '[["a",2]]'].map((key) => scopeWithAdapters(scope, key)),
    );
    expect(new Set(scopes).size).toBe(6);
    expect(scopes[0]).toBe('');
    expect(scopes.some(isAlone)).toBe(false);
    expect(scopes.map((scope) => scopeAlone(scope, 1)).every(isAlone)).toBe(true);
  });

  it('has hashes that files can be named by: they are the same in any process', () => {
    expect(createPrefix('a', tokens(BLOCK)).hashes).toEqual([453721872142462]);
  });

  it('does not collide among a hundred thousand blocks', () => {
    const { hashes } = createPrefix('', tokens(BLOCK * 100_000));
    expect(new Set(hashes).size).toBe(100_000);
  });
});

describe('the index of prefixes', () => {
  it('finds who holds most of a prompt', () => {
    const index = createPrefixIndex<string>();
    index.hold('short', createPrefix('', tokens(BLOCK)).hashes);
    index.hold('long', createPrefix('', tokens(3 * BLOCK)).hashes);
    index.hold('other', createPrefix('', tokens(3 * BLOCK, 7)).hashes);
    expect(index.find(createPrefix('', tokens(2 * BLOCK)).hashes)).toEqual(
      new Map([
        ['short', 1],
        ['long', 2],
      ]),
    );
    expect(index.find(createPrefix('', tokens(BLOCK - 1)).hashes)).toEqual(new Map());
  });

  it('knows what only one holds, and what is lost', () => {
    const index = createPrefixIndex<string>();
    const { hashes } = createPrefix('', tokens(4 * BLOCK));
    index.hold('a', hashes);
    index.hold('b', hashes.slice(0, 3));
    expect([index.unique('a'), index.unique('b'), index.unique('nobody')]).toEqual([1, 0, 0]);
    index.release('a');
    expect([index.find(hashes).get('b'), index.remembered(hashes)]).toEqual([3, 4]);
    index.hold('b', []);
    expect([index.find(hashes).size, index.remembered(hashes)]).toEqual([0, 4]);
    expect(index.remembered(createPrefix('', tokens(BLOCK, 1)).hashes)).toBe(0);
  });

  it('finds what a search through all that is held finds, whatever is held and released', () => {
    const step = fc.record({ holder: fc.nat({ max: 3 }), held: fc.option(anyPrompt) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), anyPrompt, (steps, asked) => {
        const index = createPrefixIndex<number>();
        const all = new Map<number, Token[]>();
        for (const { holder, held } of steps) {
          if (held) index.hold(holder, createPrefix('', held).hashes);
          else index.release(holder);
          all.set(holder, held ?? []);
        }
        const wanted = createPrefix('', asked);
        const plain = [...all].map(([holder, held]) => {
          const shared = Math.floor(sharedLength(createPrefix('', held), wanted) / BLOCK);
          return [holder, shared] as const;
        });
        expect(index.find(wanted.hashes)).toEqual(new Map(plain.filter(([, blocks]) => blocks > 0)));
      }),
    );
  });
});
