import type { Place } from '../llama/addon-context.ts';
import type { Part } from '../llama/decoder.ts';
import type { Demand } from './step-plan.ts';

/** A generation, as the step loop sees it. */
export interface Steppable {
  readonly demand: Demand;
  readonly finished: boolean;
  /**
   * Says what it brings into the next forward pass: the next `promptTokens` of its prompt or, if none are left, what its reply needs.
   * Null if that is nothing. A cancelled generation ends here.
   */
  begin(promptTokens: number): Part | null;
  /** Takes the logits of what it brought. Never rejects: an error ends the generation. */
  end(places: Place[]): Promise<void>;
  /** Ends the generation, because the forward pass failed. Never rejects. */
  fail(error: unknown): Promise<void>;
}

/** What moves the generations. */
export interface StepDriver {
  /** Says how many tokens of its prompt each generation may evaluate next. */
  plan(demands: Demand[]): number[];
  /** Runs one forward pass. */
  decode(parts: Part[]): Promise<Place[][]>;
  /** Has the model live until the returned function is called. Throws if it is gone. */
  hold(): () => void;
}

export interface StepLoop {
  add(generation: Steppable): void;
  /** Does something while no step is under way. Ends as that ends. */
  between(work: () => Promise<void>): Promise<void>;
}

/**
 * Moves all running generations forward together, with one forward pass of the model per step. If each made its own
 * steps, the batch would be split: an early one would take a whole pass for itself.
 */
export function createStepLoop({ plan, decode, hold }: StepDriver): StepLoop {
  let running: Steppable[] = [];
  let active = false;
  let errands: (() => Promise<void>)[] = [];

  const step = async () => {
    const grants = plan(running.map(({ demand }) => demand));
    const begun = running.flatMap((generation, index) => {
      const part = generation.begin(grants[index] ?? 0);
      return part ? [{ generation, part }] : [];
    });
    if (begun.length === 0) return;
    try {
      const release = hold();
      try {
        const places = await decode(begun.map(({ part }) => part));
        await Promise.all(begun.map(({ generation }, index) => generation.end(places[index] ?? [])));
      } finally {
        release();
      }
    } catch (error) {
      await Promise.all(begun.map(({ generation }) => generation.fail(error)));
    }
  };

  const run = async () => {
    while (running.length > 0 || errands.length > 0) {
      const due = errands;
      errands = [];
      for (const work of due) await work();
      if (running.length > 0) await step();
      running = running.filter(({ finished }) => !finished);
    }
    active = false;
  };

  const start = () => {
    if (active) return;
    active = true;
    // Those that come in the same turn begin together.
    setImmediate(run);
  };

  return {
    add(generation) {
      running.push(generation);
      start();
    },
    between: (work) =>
      new Promise((resolve, reject) => {
        errands.push(() => work().then(resolve, reject));
        start();
      }),
  };
}
