import { describe, expect, it } from 'vitest';
import type { Copy, TierLimits } from '../../../src/pool/copies/plan.ts';
import { type CopyTable, createCopyTable, type Placed } from '../../../src/pool/copies/table.ts';
import { makeRandom } from '../../kit/random.ts';

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
const wanted = (name: string, bytes = 100) => ({ name, identity: 'model', bytes, evaluateMs: 0 });

function tableOf(limits: TierLimits, ...copies: Copy[]): CopyTable {
  const table = createCopyTable(limits);
  for (const each of copies) table.add(each);
  return table;
}

const namesOf = (copies: Copy[] | null) => copies?.map(({ name }) => name) ?? null;
const placeOf = (placed: Placed | null) => placed && [placed.copy.tier, ...placed.evicted.map(({ name }) => name)];

/** The copy of this name, which must be there. */
function found(table: CopyTable, name: string): Copy {
  const copy = table.get(name);
  if (!copy) throw new Error(`there is no copy ${name}`);
  return copy;
}

describe('a new copy', () => {
  const disk = { tier: 'disk' as const };
  it.each<[name: string, limits: TierLimits, held: Copy[], bytes: number, place: string[] | null]>([
    ['goes to RAM where it fits', { ram: 200, disk: 200 }, [copy('a')], 100, ['ram']],
    ['goes to disk where RAM is full', { ram: 200, disk: 200 }, [copy('a')], 101, ['disk']],
    [
      'evicts on disk before it evicts in RAM',
      { ram: 100, disk: 100 },
      [copy('a'), copy('b', disk)],
      100,
      ['disk', 'b'],
    ],
    ['evicts in RAM if the disk is not used', { ram: 100, disk: 0 }, [copy('a')], 100, ['ram', 'a']],
    [
      'evicts in RAM if all of the disk is in use',
      { ram: 100, disk: 100 },
      [copy('a'), copy('b', { ...disk, users: 1 })],
      100,
      ['ram', 'a'],
    ],
    ['evicts no copy that has users', { ram: 100, disk: 0 }, [copy('a', { users: 1 })], 100, null],
    ['evicts none for a copy that neither tier can hold', { ram: 100, disk: 100 }, [copy('a')], 101, null],
  ])('%s', (_, limits, held, bytes, place) => {
    const table = tableOf(limits, ...held);
    expect(placeOf(table.place(wanted('new', bytes), HOUR_MS))).toEqual(place);
    expect(table.get('new')?.users).toBe(place ? 1 : undefined);
    const stay = held.filter(({ name }) => !place?.includes(name));
    expect(held.filter(({ name }) => table.get(name))).toEqual(stay);
  });

  it('is not evicted for the next one while it is written', () => {
    const table = tableOf({ ram: 100, disk: 0 });
    table.place(wanted('first'), 0);
    expect(table.place(wanted('second'), HOUR_MS)).toBeNull();
  });
});

describe('a written copy', () => {
  it.each<[name: string, grown: number, evicted: string[] | null, bytes: number]>([
    ['keeps its room if it is smaller than announced', 50, [], 100],
    ['takes free room if it is larger', 150, [], 150],
    ['evicts another copy where no room is free', 160, ['other'], 160],
    ['stays as it was if there can be no room', 251, null, 100],
  ])('%s', (_, grown, evicted, bytes) => {
    const table = tableOf({ ram: 250, disk: 0 }, copy('new', { users: 1 }), copy('other'));
    expect(namesOf(table.grow(found(table, 'new'), grown, 0))).toEqual(evicted);
    expect(found(table, 'new').bytes).toBe(bytes);
  });

  it.each<[name: string, old: Partial<Copy>, removed: string[]]>([
    ['removes the unused copy that it replaces', {}, ['old']],
    ['leaves a copy that an engine reads', { users: 1 }, []],
    ['leaves a copy of another identity', { identity: 'another' }, []],
  ])('%s', (_, old, removed) => {
    const table = tableOf({ ram: 250, disk: 0 }, copy('new', { users: 1 }), copy('old', old));
    const replaced = table.complete(found(table, 'new'), { bytes: 90, evaluateMs: 7 }, ['old', 'gone']);
    expect(namesOf(replaced)).toEqual(removed);
    expect(found(table, 'new')).toMatchObject({ bytes: 90, evaluateMs: 7, users: 0 });
    expect(table.get('old') === undefined).toBe(removed.length > 0);
  });
});

describe('the use of a copy', () => {
  it.each([
    ['a', 'model', 'a'],
    ['a', 'another', undefined],
    ['b', 'model', undefined],
  ])('by the name %s and the identity %s finds %s', (name, identity, expected) => {
    expect(tableOf({ ram: 100, disk: 0 }, copy('a')).use(name, identity)?.name).toBe(expected);
  });

  it('keeps the copy until the last user has released it', () => {
    const table = tableOf({ ram: 100, disk: 0 }, copy('a'));
    const used = found(table, 'a');
    table.use('a', 'model');
    table.use('a', 'model');
    table.release(used);
    expect([table.isUnused(used), table.place(wanted('new'), 0)]).toEqual([false, null]);
    table.release(used);
    expect([table.isUnused(used), placeOf(table.place(wanted('new'), 0))]).toEqual([true, ['ram', 'a']]);
  });
});

describe('a move to disk', () => {
  const limits = { ram: 200, disk: 100 };

  it('takes its room on disk before it frees its room in RAM', () => {
    const table = tableOf(limits, copy('a'), copy('below', { tier: 'disk' }));
    const moving = found(table, 'a');
    const placed = table.beginMove(moving, 'room', HOUR_MS);
    expect(placeOf(placed)).toEqual(['disk', 'below']);
    expect([table.bytesIn('ram'), table.bytesIn('disk'), moving.users]).toEqual([100, 100, 1]);
    if (placed) table.endMove(moving, placed.copy);
    table.release(moving);
    expect([table.bytesIn('ram'), table.bytesIn('disk'), table.get('room')]).toEqual([0, 100, undefined]);
    expect(moving).toMatchObject({ tier: 'disk', users: 0, usedAt: 0 });
  });

  it('finds no room where all of the disk is in use', () => {
    const table = tableOf(limits, copy('a'), copy('below', { tier: 'disk', users: 1 }));
    expect(table.beginMove(found(table, 'a'), 'room', 0)).toBeNull();
    expect(found(table, 'a')).toMatchObject({ tier: 'ram', users: 1 });
  });

  it('is for unused copies in RAM: first those that save the least time', () => {
    const copies = [copy('old'), copy('fresh', { usedAt: HOUR_MS }), copy('read', { users: 1 })];
    const table = tableOf({ ram: 300, disk: 100 }, ...copies, copy('below', { tier: 'disk' }));
    expect(namesOf(table.toMoveDown(200, HOUR_MS))).toEqual(['old']);
    expect(namesOf(table.unusedInRam(HOUR_MS))).toEqual(['fresh', 'old']);
  });
});

describe('the table of copies', () => {
  it('takes each name once, and removes a copy once', () => {
    const [first, second] = [copy('a'), copy('a', { tier: 'disk' })];
    const table = createCopyTable({ ram: 100, disk: 100 });
    expect([table.add(first), table.add(second)]).toEqual([true, false]);
    expect([table.remove(second), table.remove(first), table.remove(first)]).toEqual([false, true, false]);
  });

  it.each<[limit: number, trimmed: string[]]>([
    [300, []],
    [200, ['old']],
    [0, ['old', 'fresh', 'slow']],
  ])('trims a tier to %i bytes', (limit, trimmed) => {
    const copies = [copy('slow', { evaluateMs: 9e9 }), copy('old'), copy('fresh', { usedAt: HOUR_MS })];
    expect(namesOf(tableOf({ ram: limit, disk: 0 }, ...copies).trim('ram', HOUR_MS))).toEqual(trimmed);
  });

  it('keeps its limits whatever is placed, grown, completed, moved and removed', () => {
    const random = makeRandom(7);
    const below = (limit: number) => random() % limit;
    const limits = { ram: 1000, disk: 2000 };
    const table = createCopyTable(limits);
    const copies: Copy[] = [];
    let step = 0;
    const place = () => {
      const placed = table.place(wanted(`copy ${step}`, 1 + below(600)), step);
      if (placed) copies.push(placed.copy);
    };
    const move = (copy: Copy) => {
      if (!table.isUnused(copy) || copy.tier === 'disk') return;
      const placed = table.beginMove(copy, `room ${step}`, step);
      if (placed) table.endMove(copy, placed.copy);
      table.release(copy);
    };
    const changes = [
      (copy: Copy) => table.grow(copy, copy.bytes + below(100), step),
      (copy: Copy) => table.complete(copy, { bytes: copy.bytes, evaluateMs: below(1000) }, [`copy ${below(step)}`]),
      (copy: Copy) => table.remove(copy),
      move,
      move,
    ];
    for (step = 1; step < 5000; step++) {
      const chosen = copies[below(Math.max(1, copies.length))];
      const change = changes[below(changes.length + 3)];
      if (change && chosen && table.get(chosen.name) === chosen) change(chosen);
      else place();
      expect(table.bytesIn('ram')).toBeLessThanOrEqual(limits.ram);
      expect(table.bytesIn('disk')).toBeLessThanOrEqual(limits.disk);
    }
    expect(new Set(copies.map(({ tier }) => tier))).toEqual(new Set(['ram', 'disk']));
  });
});
