import { readFileSync } from 'node:fs';

/** The memory of a process that is in use and not swapped out, in MB; 0 if the process is gone. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1000);
}

/** What /proc/<pid>/stat tells of a process. */
export interface Stat {
  /** The process that has started it. */
  parent: number;
  /** The time that it has computed, in ticks of the kernel. */
  ticks: number;
  /** Its memory that is resident now, in pages. */
  pages: number;
}

/** Reads a process's stat; null if the process is gone. */
export function readStat(pid: number): Stat | null {
  const text = read(pid, 'stat');
  return text === '' ? null : parseStat(text);
}

/** The name of the program stands in brackets and may hold anything. */
export function parseStat(text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, pages = 0] = [fields[1], fields[11], fields[12], fields[21]];
  return { parent, ticks: user + system, pages };
}

/** The time that a process has computed, in ticks of the kernel; 0 if the process is gone. */
export function cpuTicks(pid: number): number {
  return readStat(pid)?.ticks ?? 0;
}

/** False once the process has ended, also if nobody has asked for its exit code yet. */
export function isAlive(pid: number): boolean {
  return /State:\s+[^ZX\s]/.test(read(pid, 'status'));
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
