import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { trackProgress } from '../../../src/catalogue/pull/progress.ts';
import type { PullEvent } from '../../../src/contract/models/puller.ts';

const files = [
  { name: 'a', size: 1000 },
  { name: 'b', size: 3000 },
];

describe('the progress of a pull', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Tracks these files and records the events. */
  function track() {
    const events: PullEvent[] = [];
    return { events, report: trackProgress(files, (event) => events.push(event)) };
  }

  it('counts bytes that are already on disk as completed, but not for the rate', () => {
    const { events, report } = track();
    report(0, 500);
    vi.advanceTimersByTime(1000);
    report(0, 700);
    expect(events).toEqual([
      { status: 'downloading', file: 'a', completed: 500, total: 4000, bytesPerSecond: 0, secondsLeft: null },
      { status: 'downloading', file: 'a', completed: 700, total: 4000, bytesPerSecond: 200, secondsLeft: 17 },
    ]);
  });

  it('has the rate of the last ten seconds', () => {
    const { events, report } = track();
    report(1, 0);
    for (let second = 1; second <= 30; second += 1) {
      vi.advanceTimersByTime(1000);
      report(1, second <= 15 ? 10 * second : 150 + 100 * (second - 15));
    }
    expect(events.at(-1)).toMatchObject({ bytesPerSecond: 100, secondsLeft: Math.ceil((4000 - 1650) / 100) });
  });

  it('is reported about four times a second, and at each beginning and end', () => {
    const { events, report } = track();
    report(0, 0);
    for (let bytes = 1; bytes <= 1000; bytes += 1) {
      vi.advanceTimersByTime(2);
      report(0, bytes);
    }
    report(1, 0);
    expect(events.length).toBeLessThanOrEqual(2000 / 250 + 2);
    expect(events.slice(-2)).toMatchObject([
      { file: 'a', completed: 1000 },
      { file: 'b', completed: 1000 },
    ]);
  });

  it('never shrinks, even if a file is fetched again', () => {
    const { events, report } = track();
    for (const bytes of [0, 900, 0, 500, 1000]) {
      report(0, bytes);
      vi.advanceTimersByTime(1000);
    }
    expect(events.map((event) => event.status === 'downloading' && event.completed)).toEqual([0, 900, 900, 900, 1000]);
  });
});
