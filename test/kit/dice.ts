import { makeRandom } from './random.ts';

/** A seeded random source. Equal seeds give equal sequences on every machine. */
export interface Dice {
  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /** Returns one of the items, each equally likely. Throws if there are none. */
  pick<T>(items: readonly T[]): T;
  /** Returns one of the items, in proportion to their weights. Throws if there are none. */
  weighted<T extends { weight: number }>(items: readonly T[]): T;
  /** Returns dice with a sequence of their own, so that concurrent users do not disturb each other. */
  fork(): Dice;
}

export function createDice(seed: number): Dice {
  const random = makeRandom(seed);
  // The first numbers of neighbouring seeds are similar.
  for (let times = 0; times < 8; times++) random();
  const fraction = () => random() / 2 ** 32;
  const dice: Dice = {
    below: (limit) => Math.floor(fraction() * limit),
    chance: (probability) => fraction() < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error('there is nothing to pick from');
      return items[dice.below(items.length)] as T;
    },
    weighted(items) {
      let left = fraction() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const item of items) {
        left -= item.weight;
        if (left < 0) return item;
      }
      return dice.pick(items);
    },
    fork: () => createDice(random()),
  };
  return dice;
}
