import { describe, expect, it } from 'vitest';
import { NO_ADAPTERS } from '../../../../src/engine/native/llama/adapters.ts';
import { createGenerations } from '../../../../src/engine/native/step/generations.ts';
import type { Steppable } from '../../../../src/engine/native/step/steppable.ts';

type Named = { -readonly [Key in keyof Steppable]: Steppable[Key] } & { name: string };

/** Makes a generation that began at a time, in ms. */
const create = (name: string, since: number, more: Partial<Named> = {}): Named => ({
  name,
  demand: { prompt: 0, reply: 1, since },
  adapters: NO_ADAPTERS,
  finished: false,
  signal: new AbortController().signal,
  begin: () => null,
  end: async () => {},
  abandon: async () => {},
  fail: async () => {},
  retreat: async () => {},
  ...more,
});

/** Makes the generations of a loop that has these, and a function that names those that run and those that wait. */
function createRun(...all: Named[]) {
  const generations = createGenerations();
  for (const generation of all) generations.add(generation);
  const namesOf = (some: readonly Steppable[]) =>
    all.filter((generation) => some.includes(generation)).map(({ name }) => name);
  return { generations, names: () => [namesOf(generations.running), namesOf(generations.waiting)] };
}

describe('the generations of a loop', () => {
  const stays = { retreat: undefined };
  it.each([
    ['the latest', [create('a', 1), create('b', 3), create('c', 2)], 'b'],
    ['the one that was added last of two that began at once', [create('a', 1), create('b', 1)], 'b'],
    ['the latest that can', [create('a', 1), create('b', 2, stays)], 'a'],
    ['the latest that is not finished', [create('a', 1), create('b', 2, { finished: true })], 'a'],
    ['none if none can', [create('a', 1, stays), create('b', 2, stays)], undefined],
    ['none that is alone', [create('a', 1)], undefined],
    ['none if there is none', [], undefined],
  ])('give up the room of %s', async (_, all, expected) => {
    const { generations, names } = createRun(...all);
    const latest = await generations.retreatLatest();
    expect(all.find((generation) => generation === latest)?.name).toBe(expected);
    const others = all.map(({ name }) => name).filter((name) => name !== expected);
    expect(names()).toEqual([others, expected ? [expected] : []]);
  });

  it('go on in the order in which they began, each when another one ends', async () => {
    const [a, b, c] = [create('a', 1), create('b', 2), create('c', 3)];
    const { generations, names } = createRun(a, b, c);
    await generations.retreatLatest();
    await generations.retreatLatest();
    const finished: Steppable[] = [];
    const settle = () => generations.settle((generation) => void finished.push(generation));
    settle();
    expect(names()).toEqual([['a'], ['b', 'c']]);
    a.finished = true;
    settle();
    expect([names(), finished]).toEqual([[['b'], ['c']], [a]]);
    b.finished = true;
    settle();
    expect([names(), finished]).toEqual([
      [['c'], []],
      [a, b],
    ]);
  });

  it('drop one that ends while it waits, and those that run go on alone', async () => {
    const [a, b, c] = [create('a', 1), create('b', 2), create('c', 3)];
    const { generations, names } = createRun(a, b, c);
    await generations.retreatLatest();
    await generations.retreatLatest();
    c.finished = true;
    generations.settle(() => {});
    expect(names()).toEqual([['a'], ['b']]);
  });

  it('leave out one that waits for something else until that is done', async () => {
    let arrive = () => {};
    const awaited = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const { generations, names } = createRun(create('a', 1, { awaited }), create('b', 2));
    const ready = new Promise<void>((resolve) => generations.setAside(resolve));
    expect(names()).toEqual([['b'], []]);
    arrive();
    await ready;
    expect(names()).toEqual([['a', 'b'], []]);
  });
});
