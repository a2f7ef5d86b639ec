import { describe, expect, it } from 'vitest';
import { createWaiters } from '../../../../src/engine/native/prefix/waiters.ts';

const never = new AbortController().signal;

/** Waits for each of these lengths, and returns the lengths that were reached so far. */
function waitFor(lengths: number[], signal = never) {
  const waiters = createWaiters();
  const reached: number[] = [];
  for (const length of lengths) void waiters.reached(length, signal).then(() => reached.push(length));
  return { waiters, reached };
}

describe('requests that wait for a slot', () => {
  it.each([
    [9, []],
    [10, [10]],
    [29, [10, 20]],
    [Number.POSITIVE_INFINITY, [10, 20, 30]],
  ])('at %d tokens: %j go on', async (length, expected) => {
    const { waiters, reached } = waitFor([10, 20, 30]);
    waiters.wake(length);
    await Promise.resolve();
    expect(reached).toEqual(expected);
  });

  it('go on at an abort', async () => {
    const cancel = new AbortController();
    const { reached } = waitFor([10, 20], cancel.signal);
    cancel.abort();
    await Promise.resolve();
    expect(reached).toEqual([10, 20]);
  });
});
