import { planStep } from './step-plan.ts';

/** A generation as the step loop sees it. */
export interface Steppable {
  /** Prompt tokens still to evaluate; 0 once it decodes. */
  readonly pendingPrompt: number;
  readonly finished: boolean;
  /**
   * Evaluates the next `promptTokens` of the prompt or, when none are left, decodes one token. With 0 of a pending
   * prompt it only sees whether it was cancelled. Never throws: a failure finishes it.
   */
  step(promptTokens: number): Promise<void>;
}

export interface StepLoop {
  add(generation: Steppable): void;
}

/**
 * Moves all running generations forward together, one forward pass of the model a step. Stepping each on its own would
 * split the batch: whoever is early pays for a pass alone.
 */
export function createStepLoop(batchSize: number): StepLoop {
  let running: Steppable[] = [];
  let active = false;

  const run = async () => {
    active = true;
    while (running.length > 0) {
      const plan = planStep(
        running.map(({ pendingPrompt }) => pendingPrompt),
        batchSize,
      );
      await Promise.all(running.map((generation, index) => generation.step(plan[index] ?? 0)));
      running = running.filter(({ finished }) => !finished);
    }
    active = false;
  };

  return {
    add(generation) {
      running.push(generation);
      if (!active) void run();
    },
  };
}
