import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepAwake } from '../../../web/leader/keep-awake.ts';
import { holdLock } from '../../../web/liveness.ts';
import { connectionLock, leaderLock, type PageMessage } from '../../../web/protocol.ts';
import { type FakeLocks, fakeLocks } from '../support/locks.ts';

let locks: FakeLocks;
let told: PageMessage[];
let letSleep: () => void;

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  locks = fakeLocks();
  told = [];
  letSleep = keepAwake({ locks, wake: (message) => told.push(message) });
});
afterEach(() => {
  letSleep();
  vi.useRealTimers();
});

describe('the service worker', () => {
  it('is woken more often than every 30 s while it reads a reply, whichever page asked', async () => {
    const release = await holdLock(connectionLock('reply'), locks);
    await pass(60_000);
    expect(told.length).toBeGreaterThan(2);
    expect(told[0]).toEqual({ kind: 'stay' });
    release();
    const before = told.length;
    await pass(60_000);
    expect(told).toHaveLength(before);
  });

  it('may sleep while nothing runs, although a page leads', async () => {
    await holdLock(leaderLock(1, 'page'), locks);
    await pass(60_000);
    expect(told).toEqual([]);
  });

  it('may sleep once the page is done', async () => {
    await holdLock(connectionLock('reply'), locks);
    letSleep();
    await pass(60_000);
    expect(told).toEqual([]);
  });
});
