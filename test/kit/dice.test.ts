import { describe, expect, it } from 'vitest';
import { createDice } from './dice.ts';

const rolls = (seed: number) => {
  const dice = createDice(seed);
  return Array.from({ length: 50 }, () => dice.below(1000));
};

describe('dice', () => {
  it('give the same sequence for the same seed, and others for other seeds', () => {
    expect(rolls(7)).toEqual(rolls(7));
    expect(rolls(7)).not.toEqual(rolls(8));
  });

  it('pick in proportion to the weights', () => {
    const dice = createDice(1);
    const items = [
      { name: 'often', weight: 9 },
      { name: 'seldom', weight: 1 },
      { name: 'never', weight: 0 },
    ];
    const picked = Array.from({ length: 2000 }, () => dice.weighted(items).name);
    const often = picked.filter((name) => name === 'often').length;
    expect(often).toBeGreaterThan(1700);
    expect(often).toBeLessThan(1900);
    expect(picked).not.toContain('never');
  });

  it('refuse to pick from nothing', () => {
    expect(() => createDice(1).pick([])).toThrow('nothing to pick from');
  });
});
