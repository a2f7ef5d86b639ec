import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withPings } from '../../../src/api/stream/pings.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import { collect, failing, finish, ORDINARY, progress, streamOf, text } from '../fixtures.ts';

const INTERVAL_MS = 10_000;
const ping = { kind: 'ping' };

/** Makes a stream with pings and reads it as fast as it comes. */
function read(onReturn: () => void = () => {}) {
  const queue = createEventQueue<GenerationEvent>(onReturn);
  const seen: unknown[] = [];
  const ended = (async () => {
    for await (const event of withPings(queue, INTERVAL_MS)) seen.push(event);
  })();
  return { queue, seen, ended };
}

describe('pings', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('do not change a stream without pauses', async () => {
    expect(await collect(withPings(streamOf(ORDINARY), INTERVAL_MS))).toEqual(ORDINARY);
  });

  it('come for every interval without an event', async () => {
    const { queue, seen, ended } = read();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([ping]);
    await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS);
    expect(seen).toEqual([ping, ping, ping]);
    queue.end();
    await ended;
  });

  it('restart their interval with every event', async () => {
    const { queue, seen, ended } = read();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
    queue.push(progress(1, 2));
    await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
    expect(seen).toEqual([progress(1, 2)]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([progress(1, 2), ping]);
    queue.end();
    await ended;
  });

  it('end with the first text', async () => {
    const { queue, seen, ended } = read();
    queue.push(progress(2, 2));
    queue.push(text('a'));
    await vi.advanceTimersByTimeAsync(5 * INTERVAL_MS);
    queue.push(finish());
    queue.end();
    await ended;
    expect(seen).toEqual([progress(2, 2), text('a'), finish()]);
  });

  it('lose no event and leave no timer behind', async () => {
    const { queue, seen, ended } = read();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    for (const event of ORDINARY) queue.push(event);
    queue.end();
    await ended;
    expect(seen).toEqual([ping, ...ORDINARY]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('let a failure through', async () => {
    const { queue, seen, ended } = read();
    const failed = expect(ended).rejects.toThrow('broken');
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    queue.fail(new Error('broken'));
    await failed;
    expect(seen).toEqual([ping]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('let an immediate failure through', async () => {
    await expect(collect(withPings(failing([], new Error('broken')), INTERVAL_MS))).rejects.toThrow('broken');
  });

  it('end the events when they are ended at an event', async () => {
    const onReturn = vi.fn();
    const queue = createEventQueue<GenerationEvent>(onReturn);
    queue.push(progress(1, 2));
    for await (const _ of withPings(queue, INTERVAL_MS)) break;
    expect(onReturn).toHaveBeenCalledOnce();
  });

  it('end the events when they are ended at a ping, without waiting for the next event', async () => {
    const onReturn = vi.fn();
    const pinged = withPings(createEventQueue<GenerationEvent>(onReturn), INTERVAL_MS);
    const first = pinged.next();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect((await first).value).toEqual(ping);
    void pinged.return(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(onReturn).toHaveBeenCalledOnce();
  });
});
