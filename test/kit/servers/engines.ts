import { execFileSync } from 'node:child_process';

/** Returns the process ids of the engines that a process has started; by default, this process. */
export function enginePids(parent = process.pid): number[] {
  try {
    const found = execFileSync('pgrep', ['-P', String(parent), '-f', 'programs/engine.js'], { encoding: 'utf8' });
    return found.trim().split('\n').map(Number);
  } catch {
    // pgrep fails if it finds no process.
    return [];
  }
}

/** Sends a signal to all engines that a process has started, and returns their number. */
export function killEngines(parent = process.pid, signal: NodeJS.Signals = 'SIGKILL'): number {
  const pids = enginePids(parent);
  for (const pid of pids) process.kill(pid, signal);
  return pids.length;
}
