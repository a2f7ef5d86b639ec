import { setTimeout } from 'node:timers/promises';

/** Whoever is waited for needs the cores: asked without a pause, a server is busy with that alone. */
const PAUSE_MS = 10;

/** Waits until it holds. Only the test's own time limit ends this. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(PAUSE_MS);
}
