import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { posix } from 'node:path';
import type { MemoryState } from './residency.ts';

/** What stays free for everything else, as a part of all memory; estimates are not exact either. */
const MARGIN = 0.05;
const KIB = 1024;

/**
 * Measures memory: what could be had now, within the limit of a container if there is one, and what this process has come
 * to hold since the gauge was made. Mapped files count as available, since the system takes them back.
 */
export function createMemoryGauge(): () => MemoryState {
  const heldBefore = ownBytes();
  return () => {
    const limit = containerLimit();
    const total = limit ?? totalmem();
    const free = Math.min(freemem(), limit === null ? Number.POSITIVE_INFINITY : limit - containerUse());
    return {
      available: Math.max(0, free - MARGIN * total),
      held: Math.max(0, ownBytes() - heldBefore),
    };
  };
}

/** Of this process, where the system tells it without mapped files. */
function ownBytes(): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(read('/proc/self/status'))?.[1];
  return kib === undefined ? process.memoryUsage.rss() : Number(kib) * KIB;
}

/** Of the container that the process runs in; null outside of one. */
function containerLimit(): number | null {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : null;
}

/** What the container's processes hold, without the file cache, which its limit takes back first. */
function containerUse(): number {
  const statistics =
    statisticsFiles(read('/proc/self/cgroup'))
      .map(read)
      .find((text) => text !== '') ?? '';
  const bytes = /^(?:anon|total_rss) (\d+)$/m.exec(statistics)?.[1];
  return bytes === undefined ? process.memoryUsage.rss() : Number(bytes);
}

/** Where a process finds its cgroup's memory, by what `/proc/self/cgroup` says, for version 2 and 1; inside of a container the path is not there. */
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

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
