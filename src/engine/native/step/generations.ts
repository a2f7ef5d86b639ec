import type { Steppable } from './steppable.ts';

/** The generations of a step loop: those that take part in its steps, and those that wait for room in the KV cache. */
export interface Generations {
  readonly running: readonly Steppable[];
  /** The generations that have given up their room. */
  readonly waiting: readonly Steppable[];
  add(generation: Steppable): void;
  /** Leaves out the generations that wait for something else. Each is added again when that is done, and `onReady` called. */
  setAside(onReady: () => void): void;
  /**
   * Has the latest generation give up its room, and wait. Resolves to it; to undefined if none can do so, or if it is the only one
   * that runs.
   */
  retreatLatest(): Promise<Steppable | undefined>;
  /**
   * Drops the finished generations, each with a call of `onFinished`. If one of them ran, or if none is left that runs, the first of
   * those that wait for room goes on.
   */
  settle(onFinished: (generation: Steppable) => void): void;
}

/** Makes the generations of a loop that has none. */
export function createGenerations(): Generations {
  let running: Steppable[] = [];
  let waiting: Steppable[] = [];

  /** Has the generation go on that began first of those that wait for room. */
  const goOn = () => {
    const [first, ...others] = waiting.sort((a, b) => a.demand.since - b.demand.since);
    if (first) running.push(first);
    waiting = others;
  };

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    add(generation) {
      running.push(generation);
    },
    setAside(onReady) {
      running = running.filter((generation) => {
        const { awaited } = generation;
        void awaited?.then(() => {
          running.push(generation);
          onReady();
        });
        return awaited === undefined;
      });
    },
    async retreatLatest() {
      const latest = latestOf(running);
      if (!latest?.retreat || running.length < 2) return undefined;
      await latest.retreat();
      running = running.filter((generation) => generation !== latest);
      waiting.push(latest);
      return latest;
    },
    settle(onFinished) {
      for (const generation of [...running, ...waiting]) if (generation.finished) onFinished(generation);
      const before = running.length;
      running = running.filter(({ finished }) => !finished);
      waiting = waiting.filter(({ finished }) => !finished);
      if (running.length < before || running.length === 0) goOn();
    },
  };
}

/** Returns the generation that began last of those that can give up their room; undefined if none can. */
function latestOf(running: readonly Steppable[]): Steppable | undefined {
  return running
    .filter(({ retreat, finished }) => retreat && !finished)
    .reduce<Steppable | undefined>(
      (one, other) => (one && one.demand.since > other.demand.since ? one : other),
      undefined,
    );
}
