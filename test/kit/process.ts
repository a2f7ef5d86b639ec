import { readFileSync } from 'node:fs';

/** Returns the resident memory of a process, in MB; 0 if the process is gone. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1000);
}

/** The facts in /proc/<pid>/stat. */
export interface Stat {
  /** The process id of the parent. */
  parent: number;
  /** CPU time, in ticks of the kernel. */
  ticks: number;
  /** Resident memory, in pages. */
  pages: number;
}

/** Reads the facts of a process; null if the process is gone. */
export function readStat(pid: number): Stat | null {
  const text = read(pid, 'stat');
  return text === '' ? null : parseStat(text);
}

/** Parses the text of /proc/<pid>/stat. The name of the program is in brackets and may contain any character. */
export function parseStat(text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, pages = 0] = [fields[1], fields[11], fields[12], fields[21]];
  return { parent, ticks: user + system, pages };
}

/** Returns the CPU time of a process, in ticks of the kernel; 0 if the process is gone. */
export function cpuTicks(pid: number): number {
  return readStat(pid)?.ticks ?? 0;
}

/** False once the process has ended, even if its parent has not read the exit code yet. */
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
