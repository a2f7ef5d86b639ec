import { describe, expect, it } from 'vitest';
import { ownCpuMs, readCpuClock } from '../../../src/engine/node/cpu-clock.ts';

describe('the clock of CPU time', () => {
  it('reads how long the cores had nothing to do, waiting for disks included', () => {
    const stat = 'cpu  100 20 30 4000 500 0 7 0 0 0\ncpu0 50 10 15 2000 250 0 3 0 0 0\n';
    expect(readCpuClock(() => stat).idle).toBe(45_000);
  });

  it('knows it without /proc too', async () => {
    const before = readCpuClock(() => '').idle;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const after = readCpuClock(() => '').idle;
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThanOrEqual(before);
  });

  it('counts the time of this process while it computes', () => {
    const before = ownCpuMs();
    const end = performance.now() + 1000;
    while (ownCpuMs() - before < 30 && performance.now() < end);
    expect(ownCpuMs() - before).toBeGreaterThanOrEqual(30);
  });
});
