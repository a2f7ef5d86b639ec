import { describe, expect, it } from 'vitest';
import {
  afterLook,
  afterPass,
  startGovernor,
  wantsToLook,
} from '../../../../src/engine/native/step/thread-governor.ts';

/** A machine on which other programs want cores, and on which threads that share a core make all others wait. */
interface Machine {
  cores: number;
  /** The number of other threads that want a core, at a time in ms. */
  busy: (now: number) => number;
  /** The time of a pass with one thread that has its core for itself, in ms. */
  passMs?: number;
  /** When nothing is computed, from and to a time in ms. */
  pause?: { from: number; to: number };
  /** Cores that look free, but are not to be had, as on a machine of which the process may use a part. */
  forbidden?: number;
}

/** Computes for a time, and returns the threads of each pass. */
function compute({ cores, busy, passMs = 40, pause, forbidden = 0 }: Machine, untilMs: number, most = cores) {
  const passes: { at: number; threads: number; ms: number }[] = [];
  let governor = startGovernor(most, 0);
  let own = 0;
  let others = 0;
  let seen = { at: 0, own, others };
  for (let now = 0; now < untilMs; ) {
    if (pause && now >= pause.from && now < pause.to) now = pause.to;
    if (wantsToLook(governor, most, now)) {
      const free = cores + forbidden - (others - seen.others) / (now - seen.at);
      seen = { at: now, own, others };
      governor = afterLook(governor, free, most, now);
    }
    const { threads } = governor;
    const share = Math.min(1, cores / (threads + busy(now)));
    // A pass among threads that lose their cores takes twenty times as long, as measured.
    const ms = (passMs / threads) * (share < 1 && threads > 1 ? 20 : 1 / share);
    const before = governor.threads;
    passes.push({ at: now, threads, ms });
    now += ms;
    own += threads * share * ms;
    others += busy(now) * share * ms;
    governor = afterPass(governor, { threads, wallMs: ms, cpuMs: threads * share * ms }, now);
    if (governor.threads < before) seen = { at: now, own, others };
  }
  return passes;
}

const mean = (passes: { ms: number }[]) => passes.reduce((sum, { ms }) => sum + ms, 0) / passes.length;

describe('the number of threads while computing', () => {
  it('is the largest, on a machine that has nothing else to do', () => {
    expect(new Set(compute({ cores: 2, busy: () => 0 }, 10_000).map(({ threads }) => threads))).toEqual(new Set([2]));
  });

  it.each([
    ['one of two cores', 2, 1, 1],
    ['two of two', 2, 2, 1],
    ['one of eight', 8, 1, 7],
    ['five of eight', 8, 5, 3],
    ['more than there are', 8, 20, 1],
  ])('leaves other programs %s', (_, cores, busy, expected) => {
    const passes = compute({ cores, busy: () => busy }, 20_000);
    expect(passes.at(-1)?.threads).toBe(expected);
  });

  it('drops with the first pass that other programs hold up, and computes on at a tenth of the time', () => {
    const [first, ...others] = compute({ cores: 2, busy: () => 1 }, 20_000);
    expect(first?.threads).toBe(2);
    expect(others.every(({ threads }) => threads === 1)).toBe(true);
    expect(mean(others)).toBeLessThan((first?.ms ?? 0) / 8);
  });

  it('comes back within a second of their end', () => {
    const passes = compute({ cores: 2, busy: (now) => (now > 3000 && now < 8000 ? 1 : 0) }, 10_000);
    const at = (time: number) => passes.findLast((pass) => pass.at <= time)?.threads;
    expect([at(2900), at(7900), at(9000)]).toEqual([2, 1, 2]);
  });

  it('is the largest again for the first pass after a pause in which other programs have ended', () => {
    const passes = compute({ cores: 2, busy: (now) => (now < 1000 ? 1 : 0), pause: { from: 1000, to: 9000 } }, 10_000);
    const before = passes.findLast(({ at }) => at < 1000)?.threads;
    expect([before, passes.find(({ at }) => at >= 9000)?.threads]).toEqual([1, 2]);
  });

  it('comes back in part, where others still want some cores', () => {
    const passes = compute({ cores: 8, busy: (now) => (now < 3000 ? 6 : 2) }, 6000);
    expect([passes.findLast(({ at }) => at < 3000)?.threads, passes.at(-1)?.threads]).toEqual([2, 6]);
  });

  it('does not mind an interruption of some ms', () => {
    let governor = startGovernor(2, 0);
    for (let pass = 0; pass < 100; pass++) {
      // As measured: one of some passes takes twice as long as the others.
      const observed = pass % 8 === 2 ? { wallMs: 34, cpuMs: 40 } : { wallMs: 17, cpuMs: 33 };
      governor = afterPass(governor, { threads: 2, ...observed }, 20 * pass);
    }
    expect(governor.threads).toBe(2);
  });

  it('tries ever less often, where cores look free that are not to be had', () => {
    const passes = compute({ cores: 2, busy: () => 1, forbidden: 6 }, 120_000);
    const tries = passes.filter(({ threads }) => threads === 2).map(({ at }) => at);
    expect(tries.length).toBeLessThan(16);
    expect((tries.at(-1) ?? 0) - (tries.at(-2) ?? 0)).toBeGreaterThan(12_000);
    expect(mean(passes)).toBeLessThan(48);
  });

  it('is judged with fewer threads than there may be, too', () => {
    // Replies are computed with 2 of 4 threads here, and there is one core left for them.
    const governor = afterPass(startGovernor(4, 0), { threads: 2, wallMs: 100, cpuMs: 105 }, 100);
    expect(governor.threads).toBe(1);
    const free = afterPass(startGovernor(4, 0), { threads: 2, wallMs: 100, cpuMs: 199 }, 100);
    expect(free.threads).toBe(4);
  });
});
