import { describe, expect, it } from 'vitest';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import type { FoundCopy } from '../../../../src/engine/native/prefix/copies.ts';
import { createPrefix, type Prefix, scopeAlone } from '../../../../src/engine/native/prefix/prefix.ts';
import { createPrefixIndex } from '../../../../src/engine/native/prefix/prefix-index.ts';
import { EMPTY_SLOT, type SlotState } from '../../../../src/engine/native/prefix/slot-state.ts';
import { restoreMs, rivalsOf, type SlotView, viewCache } from '../../../../src/engine/native/prefix/slot-view.ts';

const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const view = (held: Token[], state: Partial<SlotState> = {}): SlotView => ({
  state: { ...EMPTY_SLOT, ...state },
  sequence: { length: held.length, tokens: held },
});
const prompt = (count: number, scope = ''): Prefix => createPrefix(scope, tokens(count));

describe('the rivals of a slot', () => {
  const self = view([], { turn: 5 });
  const wanted = prompt(100);

  it.each<[string, SlotView, boolean, { held: number; promised: number }]>([
    ['holds what they share', view(tokens(40)), false, { held: 40, promised: 40 }],
    ['of another scope holds nothing', view(tokens(40), { scope: 'b' }), false, { held: 0, promised: 0 }],
    ['promises its prompt', view(tokens(40), { promise: prompt(80), turn: 4 }), false, { held: 40, promised: 80 }],
    [
      'with a later turn promises nothing',
      view(tokens(40), { promise: prompt(80), turn: 6 }),
      false,
      { held: 40, promised: 40 },
    ],
    ['that forgets holds all of its tokens', view(tokens(40)), true, { held: 40, promised: 40 }],
    ['that forgets and has gone on holds nothing', view(tokens(140)), true, { held: 0, promised: 0 }],
    [
      'that forgets promises what lies ahead',
      view(tokens(40), { promise: prompt(80), turn: 4 }),
      true,
      { held: 40, promised: 80 },
    ],
    [
      'that forgets promises nothing that it has passed',
      view([...tokens(40), ...tokens(50, 900)], { promise: prompt(80), turn: 4 }),
      true,
      { held: 0, promised: 0 },
    ],
  ])('one that %s', (_, slot, forgets, expected) => {
    expect(rivalsOf([self, slot], self, wanted, forgets)).toEqual([{ slot, ...expected }]);
  });

  it('begin with the lowest turn', () => {
    const [first, second] = [view(tokens(20), { turn: 1 }), view(tokens(30), { turn: 2 })];
    expect(rivalsOf([second, self, first], self, wanted, false).map(({ slot }) => slot)).toEqual([first, second]);
  });
});

describe('restoring what a slot holds', () => {
  const copy = (length: number, ms: number): FoundCopy => ({ tier: 'ram', length, ms, load: async () => [] });

  it.each<[string, Prefix, number, FoundCopy | null, number]>([
    ['costs nothing if other slots hold it', prompt(160), 0, null, 0],
    ['costs nothing if no request can ask for it', prompt(160, scopeAlone('', 1)), 10, null, 0],
    ['means to evaluate the unique blocks', prompt(160), 10, null, 320],
    ['means to load a copy where that is quicker', prompt(160), 10, copy(160, 50), 50],
    ['means to load a copy and to evaluate the rest', prompt(160), 10, copy(150, 50), 70],
    ['means to evaluate where a copy is slow', prompt(160), 10, copy(160, 500), 320],
  ])('%s', (_, held, uniqueBlocks, found, expected) => {
    expect(restoreMs(held, uniqueBlocks, found, 2)).toBe(expected);
  });
});

describe('the cache before a slot takes a prompt', () => {
  const index = createPrefixIndex<SlotView>();
  const self = view(tokens(64, 500));
  const twin = view(tokens(64, 500));
  const busy = view(tokens(32), { busy: true });
  const foreign = view(tokens(32), { scope: 'b' });
  const slots = [self, twin, busy, foreign];
  const see = (kept = 0) => viewCache(index, slots, self, prompt(100), kept);

  it('has the tokens of the idle slots of its scope', () => {
    expect(see().cached).toEqual([tokens(64, 500), tokens(64, 500)]);
  });

  it('is in danger where only this slot holds it', () => {
    index.hold(self, createPrefix('', tokens(64, 500)).hashes);
    expect(see().endangered).toEqual(createPrefix('', tokens(64, 500)));
    expect(see(64).endangered).toBeNull();
    index.hold(twin, createPrefix('', tokens(64, 500)).hashes);
    expect(see().endangered).toBeNull();
  });

  it('has lost what no slot holds any more', () => {
    expect(see().lost).toBe(0);
    index.hold(busy, prompt(96).hashes);
    expect(see().lost).toBe(0);
    index.release(busy);
    expect(see().lost).toBe(96);
  });
});
