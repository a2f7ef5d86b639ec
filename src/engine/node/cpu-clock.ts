import { cpus } from 'node:os';
import { readOrEmpty } from './read-or-empty.ts';

/** CPU time so far, in ms. */
export interface CpuClock {
  /** That of this process, all threads together. */
  own: number;
  /** That for which cores of the machine had nothing to do, all together. */
  idle: number;
}

/** Linux counts in hundredths of a second here, whatever its own tick is. */
const MS_PER_TICK = 10;

export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export function readCpuClock(read: (path: string) => string = readOrEmpty): CpuClock {
  return { own: ownCpuMs(), idle: idleOfLinux(read('/proc/stat')) ?? idleOfAll() };
}

/** `cpu  user nice system idle iowait …`. os.cpus() would ask each core for its frequency too, which takes long where there are many. */
function idleOfLinux(stat: string): number | null {
  const found = /^cpu +(?:\d+ +){3}(\d+) +(\d+)/.exec(stat);
  return found ? (Number(found[1]) + Number(found[2])) * MS_PER_TICK : null;
}

function idleOfAll(): number {
  return cpus().reduce((total, { times }) => total + times.idle, 0);
}
