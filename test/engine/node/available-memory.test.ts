import { freemem, totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { availableMemory, statisticsFiles } from '../../../src/engine/node/available-memory.ts';

describe('the available memory', () => {
  it("leaves a margin of the system's free memory", () => {
    const available = availableMemory();
    expect(available).toBeLessThan(freemem());
    expect(available).toBeGreaterThan(freemem() - 0.2 * totalmem());
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
