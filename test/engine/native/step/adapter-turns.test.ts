import { describe, expect, it } from 'vitest';
import { createAdapterTurns } from '../../../../src/engine/native/step/adapter-turns.ts';

/** Generations with these keys of their adapters. */
const running = (...keys: string[]) =>
  keys.map((key, index) => ({ name: `${key}${index}`, adapters: { key, adapters: [] } }));

/** Returns the key of each pass, with passes of this length in ms. */
function passesOf(generations: ReturnType<typeof running>, count: number, ms: number) {
  const turns = createAdapterTurns();
  return Array.from({ length: count }, (_, pass) => turns.next(generations, 1000 + pass * ms)[0]?.adapters.key).join(
    '',
  );
}

describe('the turns of sets of adapters', () => {
  it('have all generations of one set in a pass', () => {
    const turns = createAdapterTurns();
    const generations = running('a', 'b', 'a', 'b', 'a');
    expect(turns.next(generations, 0).map(({ name }) => name)).toEqual(['a0', 'a2', 'a4']);
    expect(turns.next(generations, 1000).map(({ name }) => name)).toEqual(['b1', 'b3']);
    expect(turns.next([], 2000)).toEqual([]);
    expect(turns.next(running('b'), 3000)).toHaveLength(1);
  });

  it('last for several quick passes, and change with each slow one', () => {
    expect(passesOf(running('a', 'b'), 12, 50)).toBe('aaaabbbbaaaa');
    expect(passesOf(running('a', 'b'), 4, 300)).toBe('abab');
    expect(passesOf(running('a'), 4, 300)).toBe('aaaa');
  });

  it('are the shorter, the more sets there are', () => {
    expect(passesOf(running('a', 'b', 'c', 'd'), 12, 50)).toBe('aabbccddaabb');
  });

  it('begin at once for a set that comes while another one runs alone', () => {
    const turns = createAdapterTurns();
    for (const now of [1000, 1500]) expect(turns.next(running('a'), now)).toHaveLength(1);
    expect(turns.next(running('a', 'b'), 1510)[0]?.adapters.key).toBe('b');
  });

  it('come to each set in a round, whatever generations come and go', () => {
    const turns = createAdapterTurns();
    const orders = ['abc', 'bca', 'cab', 'acb', 'cba', 'bac'];
    const seen = Array.from({ length: 30 }, (_, pass) => {
      const generations = running(...(orders[pass % orders.length] ?? ''));
      return turns.next(generations, 1000 * (pass + 1))[0]?.adapters.key;
    });
    for (let at = 0; at < 28; at++) expect(new Set(seen.slice(at, at + 3)).size).toBe(3);
  });

  it('are not kept for a set that has no generation any more', () => {
    const turns = createAdapterTurns();
    turns.next(running('a', 'b'), 1000);
    expect(turns.next(running('b'), 1010)).toHaveLength(1);
    expect(turns.next(running('b', 'a'), 1020)[0]?.adapters.key).toBe('b');
  });
});
