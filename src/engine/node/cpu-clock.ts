import { cpus } from 'node:os';
import { readOrEmpty } from './read-or-empty.ts';

/** CPU time so far, in ms. */
export interface CpuClock {
  /** The CPU time of this process, all threads together. */
  own: number;
  /** The idle time of the machine's cores, all together. */
  idle: number;
}

/** Linux counts in hundredths of a second here, whatever its own tick is. */
const MS_PER_TICK = 10;

/** Returns the CPU time of this process so far, in ms. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the CPU time of this process and the idle time of the machine. */
export function readCpuClock(read: (path: string) => string = readOrEmpty): CpuClock {
  return { own: ownCpuMs(), idle: idleOfLinux(read('/proc/stat')) ?? idleOfAll() };
}

/**
 * Reads `cpu  user nice system idle iowait …`. os.cpus() also reads the frequency of each core, which is slow with many
 * cores.
 */
function idleOfLinux(stat: string): number | null {
  const found = /^cpu +(?:\d+ +){3}(\d+) +(\d+)/.exec(stat);
  return found ? (Number(found[1]) + Number(found[2])) * MS_PER_TICK : null;
}

function idleOfAll(): number {
  return cpus().reduce((total, { times }) => total + times.idle, 0);
}
