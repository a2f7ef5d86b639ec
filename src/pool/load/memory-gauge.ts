import { availableMemory } from '../../engine/node/available-memory.ts';
import { heldOnMac } from '../../engine/node/mac-memory.ts';
import { readOrEmpty } from '../../engine/node/read-or-empty.ts';
import { sum } from '../../utils/sum.ts';
import type { MemoryState } from '../residency/residency.ts';

const KIB = 1024;

/** Makes a function that measures memory. `held` is the growth of this process since the gauge was made, and all of the processes in `pids`. */
export function createMemoryGauge(pids: () => number[] = () => []): () => MemoryState {
  const heldBefore = ownBytes();
  return () => ({
    available: availableMemory(),
    held: Math.max(0, ownBytes() - heldBefore) + heldBy(pids()),
  });
}

/** Bytes of this process. Mapped files are left out if the system tells them apart. */
function ownBytes(): number {
  return bytesOf('self') || process.memoryUsage.rss();
}

/** The bytes of other processes. Mapped files are left out if the system tells them apart. */
function heldBy(pids: number[]): number {
  return process.platform === 'darwin' ? heldOnMac(pids) : sum(pids.map(bytesOf));
}

/** Of a process, without mapped files; 0 where the system does not tell. */
function bytesOf(pid: number | 'self'): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
  return Number(kib ?? 0) * KIB;
}
