import { describe, expect, it } from 'vitest';
import { chooseThreads } from '../../../src/engine/native/thread-count.ts';

/** Timings as they are measured: the largest number of threads first. */
const timed = (ms: Record<number, number>) =>
  Object.entries(ms)
    .map(([threads, time]) => ({ threads: Number(threads), ms: time }))
    .toSorted((a, b) => b.threads - a.threads);

describe('the number of threads', () => {
  it.each([
    ['a large model takes all cores', { 2: 27, 1: 45 }, 2],
    ['a tiny one takes a single thread', { 2: 1.4, 1: 0.2 }, 1],
    ['on a busy machine, threads do not wait for one another', { 2: 690, 1: 45 }, 1],
    ['half of the cores, where more are not faster', { 8: 30, 4: 29, 2: 55 }, 4],
    ['the smaller number, where both are as fast', { 4: 20, 2: 20.5, 1: 40 }, 2],
    ['a single core', { 1: 50 }, 1],
  ])('%s', (_, ms, expected) => {
    expect(chooseThreads(timed(ms)).threads).toBe(expected);
  });

  it('is explained by what was measured', () => {
    expect(chooseThreads(timed({ 2: 27, 1: 45 })).reason).toBe('measured for a token, by threads: 2: 27 ms, 1: 45 ms');
  });
});
