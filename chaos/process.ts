import { readFileSync } from 'node:fs';

/** The memory of a process that is in use and not swapped out, in MB; 0 if the process is gone. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1000);
}

/** The time that a process has computed, in ticks of the kernel; 0 if the process is gone. */
export function cpuTicks(pid: number): number {
  // The name before it stands in brackets and may have spaces.
  const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
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
