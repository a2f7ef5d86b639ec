import { execFileSync } from 'node:child_process';
import { freemem } from 'node:os';
import { sum } from '../../utils/sum.ts';

/**
 * The bytes that a Mac can give to programs now. What Node calls free there are only the pages that hold nothing at all, some 100 MB on a
 * healthy machine: macOS fills the rest with what it can drop at once.
 */
export function availableOnMac(run: typeof runTool = runTool): number {
  return readAvailable(run('vm_stat', [])) ?? freemem();
}

/** The bytes that other processes hold on a Mac. */
export function heldOnMac(pids: number[], run: typeof runTool = runTool): number {
  if (pids.length === 0) return 0;
  return readHeld(run('ps', ['-o', 'rss=', '-p', pids.join()]));
}

/** Reads what `vm_stat` prints; null if that is something else. */
function readAvailable(text: string): number | null {
  const pageBytes = /page size of (\d+) bytes/.exec(text)?.[1];
  const counts = ['free', 'speculative', 'inactive'].map(
    (kind) => new RegExp(`^Pages ${kind}: +(\\d+)`, 'm').exec(text)?.[1],
  );
  if (pageBytes === undefined || counts.includes(undefined)) return null;
  return sum(counts.map(Number)) * Number(pageBytes);
}

/** Reads what `ps` prints: a number of KiB in each line. */
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
