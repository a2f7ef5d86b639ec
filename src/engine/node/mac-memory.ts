import { execFileSync } from 'node:child_process';
import { freemem } from 'node:os';
import { sum } from '../../utils/sum.ts';

/**
 * Returns the bytes of memory that are available on a Mac now. Node's `freemem` counts only the pages without any
 * contents there, about 100 MB on a healthy machine: macOS fills all other memory with caches that it can drop at once.
 */
export function availableOnMac(run: typeof runTool = runTool): number {
  return readAvailable(run('vm_stat', [])) ?? freemem();
}

/** Returns the bytes that the processes with these ids hold on a Mac. */
export function heldOnMac(pids: number[], run: typeof runTool = runTool): number {
  if (pids.length === 0) return 0;
  return readHeld(run('ps', ['-o', 'rss=', '-p', pids.join()]));
}

/** Reads the output of `vm_stat`. Returns null if it has an unknown form. */
function readAvailable(text: string): number | null {
  const pageBytes = /page size of (\d+) bytes/.exec(text)?.[1];
  const counts = ['free', 'speculative', 'inactive'].map(
    (kind) => new RegExp(`^Pages ${kind}: +(\\d+)`, 'm').exec(text)?.[1],
  );
  if (pageBytes === undefined || counts.includes(undefined)) return null;
  return sum(counts.map(Number)) * Number(pageBytes);
}

/** Reads the output of `ps`: a number of KiB in each line. */
function readHeld(text: string): number {
  return sum(text.split('\n').map((line) => Number(line) || 0)) * 1024;
}

function runTool(tool: string, args: string[]): string {
  try {
    return execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
