/** A judgement needs so much computing, in ms: a preemption of 20 ms, which any timer on the machine may cause, says nothing. */
const JUDGED_MS = 100;
/** How often to look before a pass whether cores are free, in ms, while there are fewer threads than there may be. */
const LOOK_MS = 100;
/** A rise that was taken back within this time was wrong, in ms. */
const TRIED_MS = 1500;
/** After a wrong rise the next one waits, each time twice as long, up to the most. In ms. */
const REST_MS = { first: 500, most: 16_000 };

/** What the governor knows. Times are in ms, by one clock. */
export interface GovernorState {
  /** How many threads may compute now. */
  readonly threads: number;
  /** The passes since the last judgement, all with the same number of threads. */
  readonly unjudged: ObservedPass;
  /** When it last looked for free cores, and when the threads last became more. */
  readonly lookedAt: number;
  readonly roseAt: number;
  /** Whether it is still to be seen if that was right. */
  readonly trying: boolean;
  /** The next rise comes this long after the last one at the earliest. */
  readonly restMs: number;
}

/** A forward pass as it was: `cpuMs` is the CPU time of the whole process in it. */
export interface ObservedPass {
  threads: number;
  wallMs: number;
  cpuMs: number;
}

const NOTHING: ObservedPass = { threads: 0, wallMs: 0, cpuMs: 0 };

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
 * Takes in a pass. llama.cpp's threads spin while they wait for one another, so on free cores each one gets all of the time. Where
 * they get less, another program has the rest, and all of them wait for the one that lost its core: then only as many threads go on
 * as there were cores for.
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

/** Says whether it is time to look how many cores are free. */
export function wantsToLook(state: GovernorState, most: number, now: number): boolean {
  return state.threads < most && now - state.lookedAt >= LOOK_MS;
}

/** Takes in how many cores other programs left since the last look, those included that this process used. */
export function afterLook(state: GovernorState, freeCores: number, most: number, now: number): GovernorState {
  const looked = { ...state, lookedAt: now };
  const threads = threadsFor(freeCores, most);
  if (threads <= state.threads || now < state.roseAt + state.restMs) return looked;
  return { ...looked, threads, unjudged: NOTHING, roseAt: now, trying: true };
}

/** The largest number of threads that have cores for themselves. */
function threadsFor(cores: number, most: number): number {
  let threads = most;
  while (threads > 1 && cores < threads - missable(threads)) threads -= 1;
  return threads;
}

/**
 * So much of a core may be missing. While one thread lacks its core, all others wait for it, so a thread pays as long as this takes
 * less time than the thread saves: half of it with two, less with more.
 */
function missable(threads: number): number {
  return Math.max(0.25, 0.8 / threads);
}
