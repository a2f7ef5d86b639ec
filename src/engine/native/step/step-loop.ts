import type { LogitsPlace } from '../llama/addon-context.ts';
import type { Part } from '../llama/decoder.ts';
import type { Demand } from './step-plan.ts';

/** A generation, as the step loop sees it. */
export interface Steppable {
  readonly demand: Demand;
  readonly finished: boolean;
  /**
   * Returns its part of the next forward pass: up to `promptTokens` tokens of its prompt or, after the prefill, the
   * tokens that its reply needs. Returns null if it has none. A cancelled generation ends here.
   */
  begin(promptTokens: number): Part | null;
  /** Takes the logits of its part. Never rejects: an error ends the generation. */
  end(places: LogitsPlace[]): Promise<void>;
  /** Ends the generation after a failed forward pass. Never rejects. */
  fail(error: unknown): Promise<void>;
}

/** Plans the steps and runs their forward passes. */
export interface StepDriver {
  /** Returns how many prompt tokens each generation may evaluate in the next step. */
  plan(demands: Demand[]): number[];
  /** Runs one forward pass, and resolves to the places of the logits of each part. Throws if the pass fails. */
  decode(parts: Part[]): Promise<LogitsPlace[][]>;
  /** Keeps the context from being disposed until the returned function is called. Throws if it is disposed already. */
  hold(): () => void;
}

/** Steps the generations of one context, as long as there are any. */
export interface StepLoop {
  /** Steps a generation from now on until it is finished. */
  add(generation: Steppable): void;
  /** Runs `work` while no step is under way. Settles as `work` does. */
  between(work: () => Promise<void>): Promise<void>;
}

/**
 * Moves all running generations forward together, with one forward pass of the model per step. If each generation ran
 * its own passes, the batch would be split, and a generation that comes first would take a whole pass for itself.
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
    // Generations that are added in the same turn of the event loop share their first step.
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
