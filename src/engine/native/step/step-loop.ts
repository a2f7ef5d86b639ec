import { type AdapterSet, NO_ADAPTERS } from '../llama/adapters.ts';
import { CacheFull, PassAborted } from '../llama/context.ts';
import type { Part } from '../llama/decoder.ts';
import type { LogitsPlace } from '../llama/tokens/token.ts';
import { createAdapterTurns } from './adapter-turns.ts';
import type { Demand } from './step-plan.ts';

/** A generation, as the step loop sees it. */
export interface Steppable {
  readonly demand: Demand;
  /** The LoRA adapters of its forward passes. */
  readonly adapters: AdapterSet;
  readonly finished: boolean;
  /** Its abort cancels the generation. */
  readonly signal: AbortSignal;
  /**
   * Set while the generation waits for something other than a forward pass. It takes no part in the steps until this
   * resolves. Never rejects.
   */
  readonly awaited?: Promise<void> | undefined;
  /**
   * Returns its part of the next forward pass: up to `granted` tokens of its prompt or, after the prefill, the tokens that
   * its reply needs and `granted` guessed ones. Returns null if it has none. A cancelled generation ends here.
   */
  begin(granted: number): Part | null;
  /** Takes the logits of its part. Never rejects: an error ends the generation. */
  end(places: LogitsPlace[]): Promise<void>;
  /** Ends the cancelled generation after its forward pass was aborted. Never rejects. */
  abandon(): Promise<void>;
  /**
   * Gives up the room in the KV cache. What it held is evaluated again when it goes on. Never rejects. Undefined for a
   * generation that cannot do so.
   */
  retreat?: (() => Promise<void>) | undefined;
  /** Ends the generation after a failed forward pass. Never rejects. */
  fail(error: unknown): Promise<void>;
}

/** Plans the steps and runs their forward passes. */
export interface StepDriver {
  /**
   * Returns how many tokens each generation of the next forward pass may evaluate in it: tokens of its prompt, or guessed
   * tokens of its reply besides those that it needs.
   *
   * @param repliesElsewhere the number of replies that are generated in other passes, and wait for this one
   */
  plan(demands: Demand[], repliesElsewhere: number): number[];
  /**
   * Runs one forward pass with these LoRA adapters, and resolves to the places of the logits of each part. Throws
   * `PassAborted` after an abort of the signal, and another error if the pass fails.
   */
  decode(parts: Part[], signal: AbortSignal, adapters: AdapterSet): Promise<LogitsPlace[][]>;
  /** Keeps the context from being disposed until the returned function is called. Throws if it is disposed already. */
  hold(): () => void;
}

/** A generation with its part of a step. */
interface Begun {
  generation: Steppable;
  part: Part;
}

/** Makes room in a KV cache that all sequences share. Resolves to false if there is no more to be had. Rejects if the context is disposed. */
export type MakeRoom = () => Promise<boolean>;

/** Steps the generations of one context, as long as there are any. */
export interface StepLoop {
  /** Steps a generation from now on until it is finished. */
  add(generation: Steppable): void;
  /** Runs `work` while no step is under way. Settles as `work` does. */
  between(work: () => Promise<void>): Promise<void>;
}

/** Returns the parts of each forward pass of a step. Parts with tokens share the first; each part with rows has its own. */
function passesOf(begun: readonly Begun[]): Begun[][] {
  const withRows = begun.filter(({ part }) => part.rows);
  const withTokens = begun.filter(({ part }) => !part.rows);
  return [...(withTokens.length > 0 ? [withTokens] : []), ...withRows.map((alone) => [alone])];
}

/**
 * Moves all running generations forward together, with one forward pass of the model per step. If each generation ran
 * its own passes, the batch would be split, and a generation that comes first would take a whole pass for itself.
 * LoRA adapters apply to a whole pass, so a step has the generations of one set of adapters, and the sets take turns.
 * If the KV cache has no room for a pass and `makeRoom` finds none, the latest generation waits until another one ends.
 */
export function createStepLoop({ plan, decode, hold }: StepDriver, makeRoom: MakeRoom = async () => false): StepLoop {
  const turns = createAdapterTurns();
  let running: Steppable[] = [];
  /** The generations that wait for room, and do not run. */
  let waiting: Steppable[] = [];
  let active = false;
  let errands: (() => Promise<void>)[] = [];
  /** The generations of the forward pass that is under way, and what aborts it. */
  let computing: { generations: Steppable[]; controller: AbortController } | undefined;
  /** Aborts forward passes, one after the other until one was aborted: a new controller takes as long as a small plan. */
  let controller = new AbortController();

  /** A pass is worth nothing once all of its generations are cancelled: a long part of a prompt takes seconds. */
  const noteCancelled = () => {
    if (computing?.generations.every(({ signal }) => signal.aborted)) computing.controller.abort();
  };

  const compute = async (generations: Steppable[], parts: Part[], adapters: AdapterSet): Promise<LogitsPlace[][]> => {
    if (controller.signal.aborted) controller = new AbortController();
    computing = { generations, controller };
    noteCancelled();
    try {
      return await decode(parts, controller.signal, adapters);
    } finally {
      computing = undefined;
    }
  };

  const pass = async (begun: Begun[], adapters: AdapterSet): Promise<void> => {
    try {
      const release = hold();
      try {
        const places = await compute(
          begun.map(({ generation }) => generation),
          begun.map(({ part }) => part),
          adapters,
        );
        await Promise.all(begun.map(({ generation }, index) => generation.end(places[index] ?? [])));
      } finally {
        release();
      }
    } catch (error) {
      const smaller = error instanceof CacheFull ? await withRoom(begun).catch(() => undefined) : undefined;
      if (smaller) return smaller.length > 0 ? pass(smaller, adapters) : undefined;
      const aborted = error instanceof PassAborted;
      await Promise.all(begun.map(({ generation }) => (aborted ? generation.abandon() : generation.fail(error))));
    }
  };

  /**
   * Makes room for a pass. Resolves to the parts with which it may be tried again; undefined if there is no room to be
   * had.
   */
  const withRoom = async (begun: Begun[]): Promise<Begun[] | undefined> => {
    if (await makeRoom()) return begun;
    const latest = running
      .filter(({ retreat, finished }) => retreat && !finished)
      .reduce<Steppable | undefined>(
        (one, other) => (one && one.demand.since > other.demand.since ? one : other),
        undefined,
      );
    if (!latest?.retreat || running.length < 2) return undefined;
    await latest.retreat();
    running = running.filter((generation) => generation !== latest);
    waiting.push(latest);
    return begun.filter(({ generation }) => generation !== latest);
  };

  /** Has the generation go on that began first of those that wait for room. */
  const goOn = () => {
    const [first, ...others] = waiting.sort((a, b) => a.demand.since - b.demand.since);
    if (first) running.push(first);
    waiting = others;
  };

  const step = async () => {
    const generations = turns.next(running, performance.now());
    const { adapters = NO_ADAPTERS } = generations[0] ?? {};
    const others = running.filter((generation) => generation.adapters.key !== adapters.key);
    // A cancelled generation ends at once, also while others have their turn or the room.
    for (const generation of [...others, ...waiting]) if (generation.signal.aborted) generation.begin(0);
    const grants = plan(
      generations.map(({ demand }) => demand),
      others.filter(({ demand }) => demand.reply > 0).length,
    );
    const begun = generations.flatMap((generation, index) => {
      const part = generation.begin(grants[index] ?? 0);
      return part ? [{ generation, part }] : [];
    });
    for (const together of passesOf(begun)) await pass(together, adapters);
  };

  /** Leaves out the generations that wait for something else, and takes each in again when that is done. */
  const setAside = () => {
    running = running.filter((generation) => {
      const { awaited } = generation;
      void awaited?.then(() => {
        running.push(generation);
        start();
      });
      return awaited === undefined;
    });
  };

  const run = async () => {
    while (running.length > 0 || errands.length > 0 || waiting.length > 0) {
      const due = errands;
      errands = [];
      for (const work of due) await work();
      setAside();
      if (running.length > 0) await step();
      for (const { finished, signal } of [...running, ...waiting])
        if (finished) signal.removeEventListener('abort', noteCancelled);
      const before = running.length;
      running = running.filter(({ finished }) => !finished);
      waiting = waiting.filter(({ finished }) => !finished);
      if (running.length < before || running.length === 0) goOn();
    }
    active = false;
  };

  const start = () => {
    if (active) return;
    active = true;
    // Generations that are added in the same turn of the event loop share their first step.
    setImmediate(run);
  };

  return {
    add(generation) {
      running.push(generation);
      generation.signal.addEventListener('abort', noteCancelled);
      start();
    },
    between: (work) =>
      new Promise((resolve, reject) => {
        errands.push(() => work().then(resolve, reject));
        start();
      }),
  };
}
