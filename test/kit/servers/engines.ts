import { execFileSync } from 'node:child_process';

/** The processes of engines that this process, or the one that is named, has started. */
export function enginePids(parent = process.pid): number[] {
  try {
    const found = execFileSync('pgrep', ['-P', String(parent), '-f', 'workers/engine.js'], { encoding: 'utf8' });
    return found.trim().split('\n').map(Number);
  } catch {
    // pgrep fails when it finds none.
    return [];
  }
}

/** Ends all engines that a process has started, as an operator or the kernel would. */
export function killEngines(parent = process.pid, signal: NodeJS.Signals = 'SIGKILL'): number {
  const pids = enginePids(parent);
  for (const pid of pids) process.kill(pid, signal);
  return pids.length;
}
