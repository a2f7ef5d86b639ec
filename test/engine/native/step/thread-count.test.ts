import { describe, expect, it } from 'vitest';
import { chooseThreads } from '../../../../src/engine/native/step/thread-count.ts';

/** Timings as they are measured: the largest number of threads first, of which each one lacked so much of its core. */
const timed = (ms: Record<number, number>, lacking = 0) =>
  Object.entries(ms)
    .map(([threads, time]) => ({ threads: Number(threads), ms: time, cores: Number(threads) * (1 - lacking) }))
    .toSorted((a, b) => b.threads - a.threads);

describe('the number of threads', () => {
  it.each([
    ['a large model takes all cores', { 2: 27, 1: 45 }, 2],
    ['a tiny one takes a single thread', { 2: 1.4, 1: 0.2 }, 1],
    ['half of the cores, where more are not faster', { 8: 30, 4: 29, 2: 55 }, 4],
    ['the smaller number, where both are as fast', { 4: 20, 2: 20.5, 1: 40 }, 2],
    ['a single core', { 1: 50 }, 1],
  ])('%s', (_, ms, expected) => {
    expect(chooseThreads(timed(ms)).threads).toBe(expected);
  });

  it('is the largest where other programs took the cores meanwhile: that says nothing of the model', () => {
    const { threads, reason } = chooseThreads(timed({ 2: 690, 1: 45 }, 1 / 3));
    expect(threads).toBe(2);
    expect(reason).toBe('other programs were busy when it was measured (2: 690 ms, 1: 45 ms)');
  });

  it('is small for a tiny model, which loses time to the start of threads', () => {
    expect(chooseThreads(timed({ 2: 1.4, 1: 0.2 }, 1 / 3)).threads).toBe(1);
    expect(chooseThreads(timed({ 2: 690, 1: 0.2 }, 1 / 3)).threads).toBe(1);
  });

  it('is explained by what was measured', () => {
    expect(chooseThreads(timed({ 2: 27, 1: 45 })).reason).toBe('measured for a token, by threads: 2: 27 ms, 1: 45 ms');
  });
});
