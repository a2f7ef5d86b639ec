import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { posix } from 'node:path';
import type { MemoryState } from './residency.ts';

/** The share of all memory that is left to everything else, and to errors of the estimates. */
const MARGIN = 0.05;
const KIB = 1024;

/**
 * Makes a function that measures memory. `available` is what can be had now, within the limit of a container if there
 * is one. `held` is the growth of this process since the gauge was made. Mapped files count as available, since the
 * system can take them back.
 */
export function createMemoryGauge(pids: () => number[] = () => []): () => MemoryState {
  const heldBefore = ownBytes();
  return () => {
    const limit = containerLimit();
    const total = limit ?? totalmem();
    const free = Math.min(freemem(), limit === null ? Number.POSITIVE_INFINITY : limit - containerUse());
    return {
      available: Math.max(0, free - MARGIN * total),
      held: Math.max(0, ownBytes() - heldBefore) + pids().reduce((sum, pid) => sum + bytesOf(pid), 0),
    };
  };
}

/** Bytes of this process. Mapped files are left out if the system tells them apart. */
function ownBytes(): number {
  return bytesOf('self') || process.memoryUsage.rss();
}

/** Of another process, without mapped files; 0 where the system does not tell. */
function bytesOf(pid: number | 'self'): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kib ?? 0) * KIB;
}

/** The memory limit of the process's container in bytes; null outside of a container. */
function containerLimit(): number | null {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : null;
}

/**
 * Bytes that the processes of the container hold. The file cache is left out, because the system takes it back first.
 */
function containerUse(): number {
  const statistics =
    statisticsFiles(read('/proc/self/cgroup'))
      .map(read)
      .find((text) => text !== '') ?? '';
  const bytes = /^(?:anon|total_rss) (\d+)$/m.exec(statistics)?.[1];
  // Files in memory can't be taken back.
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

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
