import { availableParallelism } from 'node:os';
import { posix } from 'node:path';
import { readOrEmpty } from './read-or-empty.ts';

/** The number of cores that this process may use, with the reason in words. */
export interface UsableCores {
  count: number;
  reason: string;
}

/**
 * Counts the cores that this process may use: the cores of its affinity, but no more than the CPU quota of its
 * container. A container with a quota of 2 CPUs on a machine with 64 cores has 2.
 */
export function usableCores(
  read: (path: string) => string = readOrEmpty,
  allowed = availableParallelism(),
): UsableCores {
  const quota = cpuQuota(read);
  if (quota === null || quota >= allowed) return { count: allowed, reason: `${allowed} cores` };
  const count = Math.max(1, Math.floor(quota));
  return { count, reason: `${count} of ${allowed} cores: the container's quota is ${quota}` };
}

/**
 * Returns the CPU quota of this process's cgroups and their ancestors, in CPUs; null without a limit. Reads versions 2
 * and 1.
 */
function cpuQuota(read: (path: string) => string): number | null {
  const cgroups = read('/proc/self/cgroup');
  const own = /^0::(\/.*)$/m.exec(cgroups)?.[1];
  const ownInVersion1 = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(\/.*)$/m.exec(cgroups)?.[1];
  const quotas = [
    // Inside of a container, the path may be the host's, which does not exist there. The container's own group is then
    // the root.
    ...ancestors(own ?? '/').map((path) => quotaOf2(read(posix.join('/sys/fs/cgroup', path, 'cpu.max')))),
    ...ancestors(ownInVersion1 ?? '/').map((path) => {
      const folder = posix.join('/sys/fs/cgroup/cpu', path);
      return quotaOf1(read(posix.join(folder, 'cpu.cfs_quota_us')), read(posix.join(folder, 'cpu.cfs_period_us')));
    }),
  ].filter((quota) => quota !== null);
  return quotas.length > 0 ? Math.min(...quotas) : null;
}

/** Returns `/a/b`, `/a` and `/` for `/a/b`: the limits of all of them apply. */
function ancestors(path: string): string[] {
  const paths = [path];
  for (let parent = path; parent !== '/'; ) {
    parent = posix.dirname(parent);
    paths.push(parent);
  }
  return paths;
}

/** `cpu.max`: "200000 100000" is 2 CPUs, "max 100000" is no limit. */
function quotaOf2(text: string): number | null {
  const found = /^(\d+) (\d+)/.exec(text);
  return found ? Number(found[1]) / Number(found[2]) : null;
}

/** -1 is no limit. */
function quotaOf1(quota: string, period: string): number | null {
  const [time, interval] = [Number.parseInt(quota, 10), Number.parseInt(period, 10)];
  return time > 0 && interval > 0 ? time / interval : null;
}
