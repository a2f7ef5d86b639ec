import { readdirSync } from 'node:fs';
import { readStat, type Stat } from '../../test/kit/process.ts';

/** What a process and all that it has started have taken of the machine. */
export interface Usage {
  /** Processor time so far, in seconds. */
  cpuSeconds: number;
  /** Memory that is resident now, in bytes. Pages that several of the processes share count for each. */
  residentBytes: number;
}

/** Clock ticks in a second, as Linux tells times to programs on every machine that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** Reads /proc. Returns null where there is none, or when the process is gone. */
export function usageOfTree(root: number): Usage | null {
  const tree = [...statsOfTree(root).values()];
  if (tree.length === 0) return null;
  return {
    cpuSeconds: tree.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentBytes: tree.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES,
  };
}

/** A process and all that it has started, by their ids. Empty when it is gone, or where there is no /proc. */
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
