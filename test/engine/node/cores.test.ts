import { describe, expect, it } from 'vitest';
import { usableCores } from '../../../src/engine/node/cores.ts';

/** A system with these files, of 64 cores. */
const onSystem = (files: Record<string, string>) => usableCores((path) => files[path] ?? '', 64);

describe('the cores that a process may use', () => {
  it('are those of its affinity where no container limits it', () => {
    expect(onSystem({})).toEqual({ count: 64, reason: '64 cores' });
    expect(onSystem({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' }).count).toBe(64);
  });

  it('are no more than the quota of a container, in cgroups of version 2', () => {
    const files = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '200000 100000\n' };
    expect(onSystem(files)).toEqual({ count: 2, reason: "2 of 64 cores: the container's quota is 2" });
  });

  it('obey the limit of a group above', () => {
    const files = {
      '/proc/self/cgroup': '0::/system.slice/paddock.service\n',
      '/sys/fs/cgroup/system.slice/paddock.service/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/system.slice/cpu.max': '350000 100000\n',
    };
    expect(onSystem(files).count).toBe(3);
  });

  it('obey version 1 too', () => {
    const files = {
      '/proc/self/cgroup': '4:cpu,cpuacct:/docker/abc\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '150000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    };
    expect(onSystem(files).count).toBe(1);
  });

  it('are at least one, however small the quota', () => {
    expect(onSystem({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '10000 100000' }).count).toBe(1);
  });
});
