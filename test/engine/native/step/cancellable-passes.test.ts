import { describe, expect, it } from 'vitest';
import { NO_ADAPTERS } from '../../../../src/engine/native/llama/adapters.ts';
import { createCancellablePasses } from '../../../../src/engine/native/step/cancellable-passes.ts';

/** Makes passes of two generations. Each pass cancels some of them while it runs, and resolves to nothing. */
function createRun(cancels: number[][]) {
  const cancel = [new AbortController(), new AbortController()];
  const signals: AbortSignal[] = [];
  const passes = createCancellablePasses(async (_, signal) => {
    signals.push(signal);
    for (const index of cancels[signals.length - 1] ?? []) cancel[index]?.abort();
    return [];
  });
  const generations = cancel.map(({ signal }) => ({ signal }));
  for (const generation of generations) passes.watch(generation);
  return { passes, generations, signals, cancel, decode: (of = generations) => passes.decode(of, [], NO_ADAPTERS) };
}

describe('a pass', () => {
  it.each([
    ['goes on while one of its generations does', [0], false],
    ['is aborted once all of its generations are cancelled', [0, 1], true],
  ])('%s', async (_, cancelled, aborted) => {
    const { decode, signals } = createRun([cancelled]);
    await decode();
    expect(signals[0]?.aborted).toBe(aborted);
  });

  it('is aborted from its beginning if its generations were cancelled before', async () => {
    const { decode, signals, generations } = createRun([[0], []]);
    await decode();
    await decode(generations.slice(0, 1));
    expect(signals[1]?.aborted).toBe(true);
  });

  it('has a signal of its own after one that was aborted', async () => {
    const { decode, signals, generations } = createRun([[0], [], []]);
    await decode(generations.slice(0, 1));
    await decode(generations.slice(1));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('is not aborted by what is cancelled between two passes', async () => {
    const { decode, signals, cancel } = createRun([[]]);
    await decode();
    for (const controller of cancel) controller.abort();
    expect(signals[0]?.aborted).toBe(false);
  });

  it('is not aborted by generations that are watched no more', async () => {
    const { decode, signals, passes, generations } = createRun([[0, 1]]);
    for (const generation of generations) passes.leave(generation);
    await decode();
    expect(signals[0]?.aborted).toBe(false);
  });

  it('is aborted by the signal of a request of which another choice is finished', async () => {
    const request = new AbortController();
    const aborted: boolean[] = [];
    const passes = createCancellablePasses(async (_, signal) => {
      request.abort();
      aborted.push(signal.aborted);
      return [];
    });
    const [first, second] = [{ signal: request.signal }, { signal: request.signal }];
    for (const choice of [first, second]) passes.watch(choice);
    passes.leave(first);
    await passes.decode([second], [], NO_ADAPTERS);
    expect(aborted).toEqual([true]);
  });
});
