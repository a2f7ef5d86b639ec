/** Thrown when a budget of steps is used up. */
export class TooComplex extends Error {}

/** Limits the number of steps of a computation. */
export interface Budget {
  /**
   * Call it before each step, or with the number of several steps. Throws `TooComplex` when the steps of all work, or
   * of the current part, are used up.
   */
  spend(count?: number): void;
  /** Begins the next part of the work, with all `partSteps` again. */
  beginPart(): void;
}

/** Allows `steps` steps in all, and `partSteps` for each part. */
export function createBudget(steps: number, partSteps = steps): Budget {
  let [left, leftOfPart] = [steps, partSteps];
  return {
    spend(count = 1) {
      left -= count;
      leftOfPart -= count;
      if (left < 0 || leftOfPart < 0) throw new TooComplex();
    },
    beginPart() {
      leftOfPart = partSteps;
    },
  };
}

/** Returns the result of `work`, or undefined if `work` throws `TooComplex`. */
export function unlessTooComplex<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}
