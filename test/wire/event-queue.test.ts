import { describe, expect, it, vi } from 'vitest';
import { createEventQueue } from '../../src/wire/event-queue.ts';
import { collect } from '../api/fixtures.ts';

describe('event queue', () => {
  it('keeps values that are pushed before anyone reads, in order', async () => {
    const queue = createEventQueue<number>();
    queue.push(1);
    queue.push(2);
    queue.end();
    expect(await collect(queue)).toEqual([1, 2]);
  });

  it('gives a pushed value to a waiting reader', async () => {
    const queue = createEventQueue<number>();
    const collected = collect(queue);
    await Promise.resolve();
    queue.push(1);
    await Promise.resolve();
    queue.push(2);
    queue.push(3);
    queue.end();
    expect(await collected).toEqual([1, 2, 3]);
  });

  it('gives values that are pushed while earlier ones are read', async () => {
    const queue = createEventQueue<number>();
    const seen: number[] = [];
    queue.push(1);
    for await (const value of queue) {
      seen.push(value);
      if (value < 4) queue.push(value + 1);
      else queue.end();
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('ignores values after its end', async () => {
    const queue = createEventQueue<number>();
    queue.end();
    queue.push(1);
    queue.fail(new Error('too late'));
    expect(await collect(queue)).toEqual([]);
  });

  it('throws after the values that came before the error', async () => {
    const queue = createEventQueue<number>();
    const failure = new Error('broken');
    const seen: number[] = [];
    queue.push(1);
    queue.fail(failure);
    queue.end();
    await expect(
      (async () => {
        for await (const value of queue) seen.push(value);
      })(),
    ).rejects.toBe(failure);
    expect(seen).toEqual([1]);
  });

  it('throws even undefined', async () => {
    const queue = createEventQueue<number>();
    queue.fail(undefined);
    await expect(collect(queue)).rejects.toBeUndefined();
  });

  it('wakes a waiting reader when it ends or fails', async () => {
    const ended = createEventQueue<number>();
    const failed = createEventQueue<number>();
    const [endedValues, failedValues] = [collect(ended), collect(failed)];
    await Promise.resolve();
    ended.end();
    failed.fail(new Error('broken'));
    expect(await endedValues).toEqual([]);
    await expect(failedValues).rejects.toThrow('broken');
  });

  it('reports an iteration that ends early', async () => {
    const onReturn = vi.fn();
    const queue = createEventQueue<number>(onReturn);
    queue.push(1);
    queue.push(2);
    for await (const _ of queue) break;
    expect(onReturn).toHaveBeenCalledOnce();
  });

  it('reports an iteration that ends while it waits for the next value', async () => {
    const onReturn = vi.fn();
    const queue = createEventQueue<number>(onReturn);
    const iterator = queue[Symbol.asyncIterator]();
    const next = iterator.next();
    const returned = iterator.return?.();
    await new Promise(setImmediate);
    expect(onReturn).toHaveBeenCalledOnce();
    expect(await next).toMatchObject({ done: true });
    await returned;
  });

  it('reports an iteration that ends before its first value is read', async () => {
    const onReturn = vi.fn();
    const iterator = createEventQueue<number>(onReturn)[Symbol.asyncIterator]();
    await iterator.return?.();
    expect(onReturn).toHaveBeenCalledOnce();
  });
});
