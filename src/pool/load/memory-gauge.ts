import { availableMemory } from '../../engine/node/available-memory.ts';
import { heldOnMac } from '../../engine/node/mac-memory.ts';
import { readOrEmpty } from '../../engine/node/read-or-empty.ts';
import { sum } from '../../utils/sum.ts';
import type { MemoryState } from '../residency/residency.ts';

const KIB = 1024;

/**
 * Makes a function that measures memory. Its `held` is the growth of this process since the gauge was made, plus the memory of the
 * processes that `pids` returns.
 */
export function createMemoryGauge(pids: () => number[] = () => []): () => MemoryState {
  const heldBefore = ownBytes();
  return () => ({
    available: availableMemory(),
    held: Math.max(0, ownBytes() - heldBefore) + heldBy(pids()),
  });
}

/** Returns the bytes of this process, without mapped files if the system reports them separately. */
function ownBytes(): number {
  return bytesOf('self') || process.memoryUsage.rss();
}

/** Returns the bytes of other processes, without mapped files if the system reports them separately. */
function heldBy(pids: number[]): number {
  return process.platform === 'darwin' ? heldOnMac(pids) : sum(pids.map(bytesOf));
}

/** Returns the bytes of a process without mapped files; 0 if the system does not report them. */
function bytesOf(pid: number | 'self'): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
  return Number(kib ?? 0) * KIB;
}
