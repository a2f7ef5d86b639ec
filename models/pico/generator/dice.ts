import { makeRandom } from '../../../test/kit/random.ts';

/** Random choices. The same seed makes the same choices on every machine. */
export interface Dice {
  /** Parts for made-up words, besides those that the generator cuts out of its word lists. */
  readonly parts: readonly string[];
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** `count` different elements, or all where there are fewer, in random order. */
  sample<T>(list: readonly T[], count: number): T[];
}

/** Makes dice. `parts` are the syllables for made-up words. */
export function makeDice(seed: number, parts: readonly string[] = []): Dice {
  const random = makeRandom(seed);
  for (let turn = 0; turn < 16; turn++) random();
  const below = (count: number) => Math.floor((random() / 2 ** 32) * count);
  return {
    parts,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => random() / 2 ** 32 < probability,
    pick: (list) => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[below(list.length)] as (typeof list)[number];
    },
    sample: (list, count) => {
      const rest = [...list];
      return Array.from(
        { length: Math.min(count, rest.length) },
        () => rest.splice(below(rest.length), 1)[0] as (typeof list)[number],
      );
    },
  };
}
