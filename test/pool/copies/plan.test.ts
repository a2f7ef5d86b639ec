import { describe, expect, it } from 'vitest';
import type { Tier } from '../../../src/engine/node/copy-messages.ts';
import { bytesIn, type Copy, chooseEvictions, toMoveDown, usefulness } from '../../../src/pool/copies/plan.ts';
import { makeRandom } from '../../kit/random.ts';
import { sample } from '../../support/repeats.ts';

const HOUR_MS = 3_600_000;

const copy = (name: string, more: Partial<Copy> = {}): Copy => ({
  name,
  identity: 'model',
  tier: 'ram',
  bytes: 100,
  usedAt: 0,
  evaluateMs: 1000,
  users: 0,
  ...more,
});
const namesOf = (copies: Copy[] | null) => copies?.map(({ name }) => name);

describe('the use of a copy', () => {
  it('grows with the time that evaluating anew takes, and falls with its bytes and its age', () => {
    const one = usefulness(copy('one'), HOUR_MS);
    expect(usefulness(copy('slow', { evaluateMs: 2000 }), HOUR_MS)).toBeGreaterThan(one);
    expect(usefulness(copy('large', { bytes: 200 }), HOUR_MS)).toBeLessThan(one);
    expect(usefulness(copy('fresh', { usedAt: HOUR_MS - 1000 }), HOUR_MS)).toBeGreaterThan(one);
  });
});

describe('making room', () => {
  it('gives up nothing where there is room', () => {
    expect(chooseEvictions([copy('a')], 'ram', 200, 100, 0)).toEqual([]);
  });

  it('gives up the least useful first, and no more than it must', () => {
    const copies = [copy('old'), copy('fresh', { usedAt: HOUR_MS }), copy('older', { usedAt: -HOUR_MS })];
    expect(namesOf(chooseEvictions(copies, 'ram', 300, 150, HOUR_MS))).toEqual(['older', 'old']);
    expect(namesOf(chooseEvictions(copies, 'ram', 300, 50, HOUR_MS))).toEqual(['older']);
  });

  it('leaves the other tier alone, and what is in use', () => {
    const copies = [copy('other', { tier: 'disk' }), copy('used', { users: 1 }), copy('free')];
    expect(namesOf(chooseEvictions(copies, 'ram', 200, 100, 0))).toEqual(['free']);
    expect(chooseEvictions(copies, 'ram', 200, 101, 0)).toBeNull();
  });

  it('gives up nothing for what can never fit', () => {
    expect(chooseEvictions([copy('a')], 'ram', 200, 201, 0)).toBeNull();
    expect(chooseEvictions([], 'disk', 0, 1, 0)).toBeNull();
  });
});

describe('moving down', () => {
  it('takes the least useful out of RAM until no more than the given bytes stay', () => {
    const copies = [copy('old'), copy('fresh', { usedAt: HOUR_MS }), copy('below', { tier: 'disk' })];
    expect(namesOf(toMoveDown(copies, 150, HOUR_MS))).toEqual(['old']);
    expect(namesOf(toMoveDown(copies, 200, HOUR_MS))).toEqual([]);
    expect(namesOf(toMoveDown(copies, 0, HOUR_MS))).toEqual(['old', 'fresh']);
  });
});

describe('an hour of simulated traffic', () => {
  it.each(sample([1, 2, 3, 4, 5]))('never holds more than the bound in any tier (seed %i)', (seed) => {
    const next = makeRandom(seed);
    const random = () => next() / 2 ** 32;
    const limits = { ram: 1000 + Math.floor(random() * 4000), disk: Math.floor(random() * 10_000) };
    let copies: Copy[] = [];
    let now = 0;
    let kept = 0;

    const add = (added: Copy) => {
      const given = chooseEvictions(copies, added.tier, limits[added.tier], added.bytes, now);
      if (!given) return;
      kept += 1;
      copies = [...copies.filter((each) => !given.includes(each)), added];
    };
    const moveDown = (moved: Copy) => {
      const given = chooseEvictions(copies, 'disk', limits.disk, moved.bytes, now);
      copies = copies.filter((each) => each !== moved && !given?.includes(each));
      if (given) copies.push({ ...moved, tier: 'disk' });
    };

    for (let step = 0; step < 4000; step++) {
      now += random() * 1800;
      const tier: Tier = random() < 0.6 ? 'ram' : 'disk';
      const bytes = 1 + Math.floor(random() ** 3 * 3000);
      const users = random() < 0.1 ? 1 : 0;
      add(copy(`${step}`, { tier, bytes, usedAt: now, evaluateMs: bytes * random(), users }));
      copies = copies.map((each) => ({ ...each, users: random() < 0.3 ? 0 : each.users }));
      for (const each of toMoveDown(copies, limits.ram * 0.75, now)) moveDown(each);
      expect(bytesIn(copies, 'ram')).toBeLessThanOrEqual(limits.ram);
      expect(bytesIn(copies, 'disk')).toBeLessThanOrEqual(limits.disk);
    }
    expect(kept).toBeGreaterThan(100);
  });
});
