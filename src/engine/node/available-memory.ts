import { freemem, totalmem } from 'node:os';
import { posix } from 'node:path';
import { availableOnMac } from './mac-memory.ts';
import { readOrEmpty } from './read-or-empty.ts';

/** The share of all memory that is kept free for other programs and for errors of the estimates. */
const MARGIN = 0.05;

/**
 * Returns the bytes of memory that are available now, within the limit of a container if there is one. Mapped files
 * count as available, because the system can drop them.
 */
export function availableMemory(): number {
  const limit = containerLimit();
  const total = limit ?? totalmem();
  const all = process.platform === 'darwin' ? availableOnMac() : freemem();
  const free = Math.min(all, limit === null ? Number.POSITIVE_INFINITY : limit - containerUse());
  return Math.max(0, free - MARGIN * total);
}

/** Returns the memory limit of the process's container in bytes; null outside of a container. */
function containerLimit(): number | null {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : null;
}

/**
 * Returns the bytes that the container's processes hold. The file cache is left out, because the system drops it first.
 */
function containerUse(): number {
  const statistics =
    statisticsFiles(readOrEmpty('/proc/self/cgroup'))
      .map(readOrEmpty)
      .find((text) => text !== '') ?? '';
  const bytes = /^(?:anon|total_rss) (\d+)$/m.exec(statistics)?.[1];
  // The system cannot drop files that exist only in memory.
  const files = /^(?:shmem|total_shmem) (\d+)$/m.exec(statistics)?.[1] ?? 0;
  return bytes === undefined ? process.memoryUsage.rss() : Number(bytes) + Number(files);
}

/**
 * Lists the files that may have the memory statistics of a process's cgroup, for cgroup versions 2 and 1. `cgroups` is
 * the text of `/proc/self/cgroup`. The last two paths are for containers, in which the path of that text does not
 * exist.
 */
export function statisticsFiles(cgroups: string): string[] {
  const own = /^0::(\/.*)$/m.exec(cgroups)?.[1] ?? '/';
  const ownInVersion1 = /^\d+:memory:(\/.*)$/m.exec(cgroups)?.[1] ?? '/';
  return [
    posix.join('/sys/fs/cgroup', own),
    posix.join('/sys/fs/cgroup/memory', ownInVersion1),
    '/sys/fs/cgroup',
    '/sys/fs/cgroup/memory',
  ].map((folder) => posix.join(folder, 'memory.stat'));
}
