import { setTimeout } from 'node:timers/promises';

/**
 * The pause between two checks, in ms. Without it, the checks would take the cores from the work that the test waits
 * for.
 */
const PAUSE_MS = 10;

/** The longest wait, in ms: longer than any state takes to come on a slow machine. */
const LONGEST_MS = 120_000;

/**
 * Waits until the condition is true. Throws after two minutes: a test that its own time limit ends would leave the checks running,
 * and they would take the cores from the tests after it.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > LONGEST_MS) throw new Error(`Not true for ${LONGEST_MS / 1000} s: ${holds}`);
    await setTimeout(PAUSE_MS);
  }
}
