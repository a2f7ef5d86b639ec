import { setTimeout } from 'node:timers/promises';
import { type CpuClock, ownCpuMs, readCpuClock } from '../../node/cpu-clock.ts';
import { afterLook, afterPass, type ObservedPass, startGovernor, wantsToLook } from './thread-governor.ts';

/**
 * An older reading of the CPU clock is replaced by a new one: what other programs did before it says nothing of now.
 */
const RECENT_MS = 1000;
/** The shortest time between two readings of the CPU clock that are compared, in ms. */
const WINDOW_MS = 50;
/**
 * A pass waits for a second reading if it takes at least this long, in ms: with half of the threads it loses more time
 * than the wait takes. A quicker pass goes on at once, and a later one looks.
 */
const WORTH_WAITING_MS = 4 * WINDOW_MS;

/** The number of threads that follows the cores which other programs leave free. */
export interface GovernedThreads {
  /** The most threads for the next pass. */
  readonly most: number;
  /** Returns the CPU time of this process, in ms. */
  ownCpuMs(): number;
  /**
   * Raises the number of threads if cores are free. It is called before a pass, so that the first pass after a pause has
   * the cores that became free meanwhile.
   *
   * @param expectedMs the time that the pass will take with the present threads; infinite if that is unknown
   * @param isLong true for a pass that has to look: with too few threads it loses more time than a look takes
   */
  before(expectedMs: number, isLong: boolean): Promise<void>;
  /** Takes threads away if a pass has had fewer cores. */
  after(pass: ObservedPass): void;
}

/** What is read of the machine. Times are in ms. */
export interface MachineClocks {
  now(): number;
  cpu(): CpuClock;
  ownCpuMs(): number;
  wait(ms: number): Promise<unknown>;
}

const THIS_MACHINE: MachineClocks = { now: () => performance.now(), cpu: readCpuClock, ownCpuMs, wait: setTimeout };

/** @param most the number of threads while other programs use no core */
export function createGovernedThreads(most: number, clocks: MachineClocks = THIS_MACHINE): GovernedThreads {
  let governor = startGovernor(most, clocks.now());
  let seen: { at: number; cpu: CpuClock } | undefined;

  const read = () => ({ at: clocks.now(), cpu: clocks.cpu() });

  return {
    get most() {
      return governor.threads;
    },
    ownCpuMs: clocks.ownCpuMs,
    async before(expectedMs, isLong) {
      const asked = clocks.now();
      if (!seen || governor.threads === most || !(isLong || wantsToLook(governor, most, asked))) return;
      if (asked - seen.at > RECENT_MS) seen = read();
      if (asked - seen.at < WINDOW_MS) {
        if (expectedMs < WORTH_WAITING_MS) return;
        await clocks.wait(WINDOW_MS);
      }
      const now = read();
      const free = (now.cpu.idle - seen.cpu.idle + now.cpu.own - seen.cpu.own) / (now.at - seen.at);
      seen = now;
      governor = afterLook(governor, free, most, now.at);
    },
    after(pass) {
      const { threads } = governor;
      governor = afterPass(governor, pass, clocks.now());
      if (governor.threads < threads) seen = read();
    },
  };
}
