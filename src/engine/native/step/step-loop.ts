import { type AdapterSet, NO_ADAPTERS } from '../llama/adapters.ts';
import { CacheFull, PassAborted } from '../llama/context.ts';
import type { Part } from '../llama/decoder.ts';
import { createAdapterTurns } from './adapter-turns.ts';
import { createCancellablePasses } from './cancellable-passes.ts';
import { createGenerations } from './generations.ts';
import type { StepDriver } from './step-driver.ts';
import type { Steppable } from './steppable.ts';

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
  const generations = createGenerations();
  const passes = createCancellablePasses(decode);
  let active = false;
  let errands: (() => Promise<void>)[] = [];

  const pass = async (begun: Begun[], adapters: AdapterSet): Promise<void> => {
    try {
      const release = hold();
      try {
        const places = await passes.decode(
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
    const latest = await generations.retreatLatest();
    return latest && begun.filter(({ generation }) => generation !== latest);
  };

  const step = async () => {
    const { running, waiting } = generations;
    const together = turns.next(running, performance.now());
    const { adapters = NO_ADAPTERS } = together[0] ?? {};
    const others = running.filter((generation) => generation.adapters.key !== adapters.key);
    // A cancelled generation ends at once, also while others have their turn or the room.
    for (const generation of [...others, ...waiting]) if (generation.signal.aborted) generation.begin(0);
    const grants = plan(
      together.map(({ demand }) => demand),
      others.filter(({ demand }) => demand.reply > 0).length,
    );
    const begun = together.flatMap((generation, index) => {
      const part = generation.begin(grants[index] ?? 0);
      return part ? [{ generation, part }] : [];
    });
    for (const ofPass of passesOf(begun)) await pass(ofPass, adapters);
  };

  const run = async () => {
    while (generations.running.length > 0 || errands.length > 0 || generations.waiting.length > 0) {
      const due = errands;
      errands = [];
      for (const work of due) await work();
      generations.setAside(start);
      if (generations.running.length > 0) await step();
      generations.settle(passes.leave);
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
      generations.add(generation);
      passes.watch(generation);
      start();
    },
    between: (work) =>
      new Promise((resolve, reject) => {
        errands.push(() => work().then(resolve, reject));
        start();
      }),
  };
}
