import { freemem, totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createMemoryGauge, statisticsFiles } from '../../src/pool/memory-gauge.ts';

const MIB = 2 ** 20;

describe('the memory gauge', () => {
  it("leaves a margin of the system's free memory", () => {
    const { available } = createMemoryGauge()();
    expect(available).toBeLessThan(freemem());
    expect(available).toBeGreaterThan(freemem() - 0.2 * totalmem());
  });

  it('tells how much the process has grown since', () => {
    const gauge = createMemoryGauge();
    expect(gauge().held).toBeLessThan(32 * MIB);
    const block = Buffer.alloc(200 * MIB, 1);
    expect(gauge().held).toBeGreaterThan(150 * MIB);
    expect(block.length).toBe(200 * MIB);
  });

  it('finds the statistics of its container, whichever version of cgroups', () => {
    expect(statisticsFiles('0::/user.slice/paddock.service\n')[0]).toBe(
      '/sys/fs/cgroup/user.slice/paddock.service/memory.stat',
    );
    expect(statisticsFiles('4:memory:/docker/abc\n1:cpu:/docker/abc\n')).toContain(
      '/sys/fs/cgroup/memory/docker/abc/memory.stat',
    );
    expect(statisticsFiles('')).toEqual(
      ['', '/memory', '', '/memory'].map((folder) => `/sys/fs/cgroup${folder}/memory.stat`),
    );
  });
});
