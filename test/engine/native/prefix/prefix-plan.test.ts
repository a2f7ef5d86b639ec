import { describe, expect, it } from 'vitest';
import type { FoundCopy } from '../../../../src/engine/native/prefix/copies.ts';
import { planPrefix } from '../../../../src/engine/native/prefix/prefix-plan.ts';

const COSTS = { tokenMs: 2, copyMs: 100 };
const rival = (slot: string, held: number, promised = held) => ({ slot, held, promised });
const copyOf = (length: number, ms: number): FoundCopy => ({ tier: 'ram', length, ms, load: async () => [] });

describe('the way to the beginning of a prompt', () => {
  it('is the own cache, where nobody has more', () => {
    expect(planPrefix(1000, 400, [rival('a', 400)], null, COSTS)).toEqual({ kind: 'own', length: 400 });
    expect(planPrefix(1000, 0, [], null, COSTS)).toEqual({ kind: 'own', length: 0 });
  });

  it('is a copy, where evaluating takes longer', () => {
    expect(planPrefix(1000, 0, [rival('a', 49)], null, COSTS)).toMatchObject({ kind: 'own' });
    expect(planPrefix(1000, 0, [rival('a', 51), rival('b', 51)], null, COSTS)).toEqual({
      kind: 'copy',
      from: 'a',
      length: 51,
    });
  });

  it('is to wait for another that is about to evaluate more of it', () => {
    const plan = planPrefix(1000, 0, [rival('a', 100, 900), rival('b', 0, 900)], null, COSTS);
    expect(plan).toEqual({ kind: 'wait', on: 'a', length: 900 });
  });

  it('is not to wait for less than a block, or for what can be had at once', () => {
    expect(planPrefix(1000, 0, [rival('a', 890), rival('b', 0, 900)], null, COSTS)).toMatchObject({
      kind: 'copy',
      from: 'a',
    });
    expect(planPrefix(1000, 850, [rival('b', 0, 890)], null, COSTS)).toEqual({ kind: 'own', length: 850 });
  });

  it('is to wait for the first that comes close to the most, so that no chain of those who wait is made', () => {
    const rivals = [rival('a', 0, 900), rival('b', 0, 905), rival('c', 0, 910), rival('d', 0, 950)];
    expect(planPrefix(1000, 0, rivals.slice(0, 3), null, COSTS)).toEqual({ kind: 'wait', on: 'a', length: 900 });
    expect(planPrefix(1000, 0, rivals, null, COSTS)).toEqual({ kind: 'wait', on: 'd', length: 950 });
  });

  it('is a copy in memory or on disk, where loading it pays', () => {
    expect(planPrefix(1000, 0, [rival('a', 500)], copyOf(700, 300), COSTS)).toMatchObject({
      kind: 'load',
      length: 700,
    });
    expect(planPrefix(1000, 0, [rival('a', 500)], copyOf(700, 700), COSTS)).toMatchObject({ kind: 'copy' });
    expect(planPrefix(1000, 0, [], copyOf(5000, 10), COSTS)).toMatchObject({ kind: 'load', length: 1000 });
  });
});
