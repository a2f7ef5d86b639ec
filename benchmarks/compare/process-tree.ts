import { readdirSync } from 'node:fs';
import { readStat, type Stat } from '../../test/kit/process.ts';

/** The resources that a process and its descendants use. */
export interface Usage {
  /** CPU time so far, in seconds. */
  cpuSeconds: number;
  /** Resident memory, in bytes. Shared pages count once for each process. */
  residentBytes: number;
}

/** Clock ticks per second, as Linux reports times on every machine that Node supports. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** Returns the usage from /proc; null if there is no /proc, or if the process is gone. */
export function usageOfTree(root: number): Usage | null {
  const tree = [...statsOfTree(root).values()];
  if (tree.length === 0) return null;
  return {
    cpuSeconds: tree.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentBytes: tree.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES,
  };
}

/** Returns a process and its descendants by process id; empty if the process is gone, or if there is no /proc. */
export function statsOfTree(root: number): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of listProcesses()) {
    const stat = readStat(Number(name));
    if (stat) stats.set(Number(name), stat);
  }
  const isInTree = (pid: number): boolean => {
    const stat = stats.get(pid);
    return pid === root || (stat !== undefined && isInTree(stat.parent));
  };
  return new Map([...stats].filter(([pid]) => isInTree(pid)));
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
