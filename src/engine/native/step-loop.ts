import { planStep } from './step-plan.ts';

/** A generation, as the step loop sees it. */
export interface Steppable {
  /** Prompt tokens that are still to be evaluated; 0 once it decodes. */
  readonly pendingPrompt: number;
  readonly finished: boolean;
  /**
   * Evaluates the next `promptTokens` of the prompt or, if none are left, decodes one token. If it gets 0 while its
   * prompt is pending, it only checks whether it was cancelled. Never rejects: an error ends the generation.
   */
  step(promptTokens: number): Promise<void>;
}

export interface StepLoop {
  add(generation: Steppable): void;
}

/**
 * Moves all running generations forward together, with one forward pass of the model per step. If each made its own
 * steps, the batch would be split: an early one would take a whole pass for itself.
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
