import type { PullEvent } from '../../src/core/puller.ts';
import { folderPrefix } from './store.ts';

/** Held while something is done to the folders with this prefix. */
const nameOf = (prefix: string) => `paddock-model:${prefix}`;

/**
 * Does something to a model's folders while nobody else does, in this worker or in that of a page that is about to end. Says so
 * where it has to wait for that.
 */
export async function withModelLock<T>(
  id: string,
  emit: (event: PullEvent) => void,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const name = nameOf(folderPrefix(id));
  const outcome = await tryLock(name, work);
  if (outcome) return outcome.value;
  emit({ status: 'waiting', reason: 'another tab is busy with the same model' });
  return navigator.locks.request(name, { signal }, work) as Promise<T>;
}

/** As `withModelLock`, but gives null at once where somebody else does something. */
export function unlessBusy<T>(id: string, work: () => Promise<T>): Promise<{ value: T } | null> {
  return tryLock(nameOf(folderPrefix(id)), work);
}

function tryLock<T>(name: string, work: () => Promise<T>): Promise<{ value: T } | null> {
  const run = async (lock: Lock | null) => (lock ? { value: await work() } : null);
  return navigator.locks.request(name, { ifAvailable: true }, run) as Promise<{ value: T } | null>;
}

/** Whether something is being done to the folders with this prefix. */
export async function isBusy(prefix: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === nameOf(prefix));
}
