import { describe, expect, it } from 'vitest';
import { createDice } from '../../kit/dice.ts';
import { toneWav } from '../../kit/files/media.ts';
import { mutateMedia } from './mutate-media.ts';

const original = Buffer.from(toneWav(440));

describe('a mutated recording', () => {
  it('is the same for the same dice, and leaves the original as it is', () => {
    const before = Buffer.from(original);
    const mutant = (seed: number) => mutateMedia(original, createDice(seed));
    expect(mutant(1).file.equals(mutant(1).file)).toBe(true);
    expect(mutant(1).change).not.toBe(mutant(2).change);
    expect(original.equals(before)).toBe(true);
  });

  it('differs from the original', () => {
    const mutants = Array.from({ length: 100 }, (_, seed) => mutateMedia(original, createDice(seed)));
    expect(mutants.filter(({ file }) => !file.equals(original)).length).toBeGreaterThan(95);
  });
});
