/**
 * The least time of the passes that are judged together, in ms. A preemption of 20 ms, which any timer may cause, then
 * has no effect.
 */
const JUDGED_MS = 100;
/** While the number of threads is reduced, the time between two looks for free cores, in ms. */
const LOOK_MS = 100;
/** If threads are removed again within this time, in ms, adding them was wrong. */
const TRIED_MS = 1500;
/**
 * The backoff in ms: the time until threads may be added again. It doubles each time that adding them was wrong, up to
 * `most`.
 */
const REST_MS = { first: 500, most: 16_000 };

/**
 * The state of the governor, which reduces the number of threads while other programs use cores, and raises it again.
 * Times are in ms, by one clock.
 */
export interface GovernorState {
  /** The most threads that may compute now. */
  readonly threads: number;
  /** The sum of the passes that were not judged yet, all with the same number of threads. */
  readonly unjudged: ObservedPass;
  /** When free cores were counted last. */
  readonly lookedAt: number;
  /** When threads were added last. */
  readonly roseAt: number;
  /** True until it is known if adding threads was right. */
  readonly trying: boolean;
  /** The least time between two additions of threads. */
  readonly restMs: number;
}

/** The times of a forward pass. `cpuMs` is the CPU time of the whole process during it. */
export interface ObservedPass {
  threads: number;
  wallMs: number;
  cpuMs: number;
}

const NOTHING: ObservedPass = { threads: 0, wallMs: 0, cpuMs: 0 };

/** Returns the state at the beginning, with the most threads. */
export function startGovernor(most: number, now: number): GovernorState {
  return {
    threads: most,
    unjudged: NOTHING,
    lookedAt: now,
    roseAt: Number.NEGATIVE_INFINITY,
    trying: false,
    restMs: REST_MS.first,
  };
}

/**
 * Returns the state after a pass. llama.cpp's threads spin while they wait for one another, so each thread with a core
 * of its own uses the CPU all the time. If they used less, another program had a core, and all threads waited for the
 * thread that lost it. Then the number of threads is reduced to the number of cores that they had.
 */
export function afterPass(state: GovernorState, pass: ObservedPass, now: number): GovernorState {
  const { unjudged } = state;
  const before = unjudged.threads === pass.threads ? unjudged : NOTHING;
  const sum = { threads: pass.threads, wallMs: before.wallMs + pass.wallMs, cpuMs: before.cpuMs + pass.cpuMs };
  if (sum.wallMs < JUDGED_MS) return { ...state, unjudged: sum };
  const judged = { ...state, unjudged: NOTHING };
  const threads = threadsFor(sum.cpuMs / sum.wallMs, pass.threads);
  const trying = state.trying && now - state.roseAt <= TRIED_MS;
  if (threads < pass.threads) {
    const restMs = trying ? Math.min(REST_MS.most, 2 * state.restMs) : REST_MS.first;
    return { ...judged, threads, lookedAt: now, trying: false, restMs };
  }
  return state.trying && !trying ? { ...judged, trying, restMs: REST_MS.first } : judged;
}

/** Returns true if it is time to count the free cores. */
export function wantsToLook(state: GovernorState, most: number, now: number): boolean {
  return state.threads < most && now - state.lookedAt >= LOOK_MS;
}

/**
 * Returns the state after a look. `freeCores` is the number of cores that other programs did not use since the look
 * before.
 */
export function afterLook(state: GovernorState, freeCores: number, most: number, now: number): GovernorState {
  const looked = { ...state, lookedAt: now };
  const threads = threadsFor(freeCores, most);
  if (threads <= state.threads || now < state.roseAt + state.restMs) return looked;
  return { ...looked, threads, unjudged: NOTHING, roseAt: now, trying: true };
}

/** Returns the largest number of threads that each have a core, or nearly a whole one. */
function threadsFor(cores: number, most: number): number {
  let threads = most;
  while (threads > 1 && cores < threads - missable(threads)) threads -= 1;
  return threads;
}

/**
 * Returns how much of a core may be missing for a number of threads. While one thread lacks its core, all others wait
 * for it. So a thread is worth keeping while this wait is shorter than the time that the thread saves: half of the time
 * with two threads, less with more.
 */
function missable(threads: number): number {
  return Math.max(0.25, 0.8 / threads);
}
