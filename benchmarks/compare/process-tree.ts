import { readdirSync, readFileSync } from 'node:fs';

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

interface Stat {
  parent: number;
  usage: Usage;
}

/** Reads /proc. Returns null where there is none, or when the process is gone. */
export function usageOfTree(root: number): Usage | null {
  const stats = new Map<number, Stat>();
  for (const name of listProcesses()) {
    const stat = readStat(name);
    if (stat) stats.set(Number(name), stat);
  }
  const isInTree = (pid: number): boolean => {
    const stat = stats.get(pid);
    return pid === root || (stat !== undefined && isInTree(stat.parent));
  };
  if (!stats.has(root)) return null;
  const tree = [...stats].filter(([pid]) => isInTree(pid)).map(([, { usage }]) => usage);
  return {
    cpuSeconds: tree.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    residentBytes: tree.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
  };
}

/** Parses /proc/<pid>/stat. The name of the program stands in brackets and may hold anything. */
export function parseStat(text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, pages = 0] = [fields[1], fields[11], fields[12], fields[21]];
  return {
    parent,
    usage: { cpuSeconds: (user + system) / TICKS_PER_SECOND, residentBytes: pages * PAGE_BYTES },
  };
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readStat(pid: string): Stat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has ended meanwhile.
    return null;
  }
}
