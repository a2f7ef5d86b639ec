import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTextPasses } from '../../../src/engine/native/text-passes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('computes with the quickest number of threads for texts of this length', async () => {
  const compute = createTextPasses(2);
  const threadsOf = (tokens: number, ms: number) =>
    compute(tokens, async (threads) => {
      vi.advanceTimersByTime(ms);
      return threads;
    });
  expect(await threadsOf(100, 2)).toBe(2);
  expect(await threadsOf(100, 60)).toBe(2);
  expect(await threadsOf(100, 60)).toBe(2);
  expect(await threadsOf(100, 3)).toBe(1);
  expect(await threadsOf(8, 2)).toBe(2);
});

it('passes on what a pass throws, and goes on', async () => {
  const compute = createTextPasses(2);
  const failing = compute(5, async () => {
    throw new Error('no pass');
  });
  await expect(failing).rejects.toThrow('no pass');
  expect(await compute(5, async () => 'a vector')).toBe('a vector');
});
