import { beforeEach, describe, expect, it } from 'vitest';
import { createGovernedThreads, type GovernedThreads } from '../../../../src/engine/native/step/governed-threads.ts';

describe('the threads of a pass', () => {
  let now = 0;
  let waited = 0;
  let own = 0;
  /** The cores that other programs leave free. */
  let free = 2;
  let idle = 0;
  let threads: GovernedThreads;

  const pass = (ms: number) => {
    spend(ms);
    threads.after({ threads: threads.most, wallMs: ms, cpuMs: Math.min(free, threads.most) * ms });
  };
  const spend = (ms: number) => {
    now += ms;
    idle += free * ms;
  };

  beforeEach(() => {
    [now, waited, own, free, idle] = [0, 0, 0, 2, 0];
    threads = createGovernedThreads(2, {
      now: () => now,
      cpu: () => ({ idle, own }),
      ownCpuMs: () => own,
      wait: async (ms) => {
        waited += ms;
        spend(ms);
      },
    });
  });

  it('are fewer while another program has a core, and all again before a long pass once it has ended', async () => {
    free = 1;
    pass(200);
    expect(threads.most).toBe(1);
    free = 2;
    spend(5000);
    await threads.before(400, true);
    expect(waited).toBe(50);
    expect(threads.most).toBe(2);
  });

  it.each([
    ['part of a prompt', true],
    ['token', false],
  ])('are looked after without a wait before a quick %s: the next one has them', async (_, isLong) => {
    free = 1;
    pass(200);
    free = 2;
    spend(5000);
    await threads.before(20, isLong);
    expect({ waited, threads: threads.most }).toEqual({ waited: 0, threads: 1 });
    spend(120);
    await threads.before(20, isLong);
    expect({ waited, threads: threads.most }).toEqual({ waited: 0, threads: 2 });
  });

  it('are waited for before a pass of unknown length', async () => {
    free = 1;
    pass(200);
    spend(5000);
    await threads.before(Number.POSITIVE_INFINITY, true);
    expect(waited).toBe(50);
  });
});
