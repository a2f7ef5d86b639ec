import { describe, expect, it } from 'vitest';
import {
  afterText,
  startTrials,
  type ThreadTrials,
  threadsOf,
} from '../../../../src/engine/native/step/thread-trials.ts';

/** Computes texts for so many ms of a clock, each as long as `tokenMs` says; returns the threads of each. */
function run(trials: ThreadTrials, from: number, forMs: number, tokenMs: (threads: number) => number) {
  const used: number[] = [];
  let now = from;
  let state = trials;
  while (now < from + forMs) {
    const threads = threadsOf(state);
    used.push(threads);
    const ms = tokenMs(threads);
    now += 10 * ms;
    state = afterText(state, ms, now);
  }
  return { state, now, used };
}

const share = (used: number[], threads: number) => used.filter((one) => one === threads).length / used.length;

const QUIET = (threads: number) => 1 / threads + 0.2;
/** Two threads wait for one another. */
const BUSY = (threads: number) => (threads === 1 ? 1.2 : 8);

describe('the threads for texts', () => {
  it('begin with all, and stay there where all are the quickest', () => {
    const { used } = run(startTrials(2, 0), 0, 10_000, QUIET);
    expect(used[0]).toBe(2);
    expect(share(used, 2)).toBeGreaterThan(0.98);
  });

  it('are one where that is the quickest, even if nobody else wants the cores', () => {
    const { used } = run(startTrials(8, 0), 0, 10_000, (threads) => threads);
    expect(used.at(-1)).toBe(1);
  });

  it('become fewer within three texts when other programs come, and more within seconds when they have gone', () => {
    const quiet = run(startTrials(2, 0), 0, 3000, QUIET);
    const busy = run(quiet.state, quiet.now, 10_000, BUSY);
    expect(busy.used.slice(0, 4)).toContain(1);
    expect(share(busy.used, 1)).toBeGreaterThan(0.95);
    const after = run(busy.state, busy.now, 4100, QUIET);
    expect(after.used.at(-1)).toBe(2);
  });

  it('stay as they are after one slow text alone', () => {
    let state = startTrials(2, 0);
    for (const ms of [1, 1, 5, 1]) state = afterText(state, ms, 0);
    expect(threadsOf(state)).toBe(2);
  });

  it('are one at most where one is all that there may be', () => {
    expect(new Set(run(startTrials(1, 0), 0, 5000, QUIET).used)).toEqual(new Set([1]));
  });
});
