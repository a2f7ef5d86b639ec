import { setTimeout } from 'node:timers/promises';

/**
 * The pause between two checks, in ms. Without it, the checks would take the cores from the work that the test waits
 * for.
 */
const PAUSE_MS = 10;

/** Waits until the condition is true. Only the time limit of the test ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(PAUSE_MS);
}
