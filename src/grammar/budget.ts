/** Thrown when something takes more work than is allowed. */
export class TooComplex extends Error {}

/** Counts the steps of some work. */
export interface Budget {
  /**
   * Is called before each step, or before several. Throws `TooComplex` when the steps of all work, or of the current part,
   * are used up.
   */
  spend(count?: number): void;
  /** Begins another part of the work. */
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

/** Returns undefined instead of what is too complex. */
export function unlessTooComplex<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}
