import type { PullEvent } from '../../src/contract/models/puller.ts';
import { folderPrefix } from './store.ts';

/** The lock that is held while the folders with this prefix are changed. */
const nameOf = (prefix: string) => `paddock-model:${prefix}`;

/**
 * Changes a model's folders while nobody else does. The worker of a page that is about to end may still be at it: then
 * this says that it waits.
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

/** Changes a model's folders, but gives null at once if somebody else is at it. */
export function unlessBusy<T>(id: string, work: () => Promise<T>): Promise<{ value: T } | null> {
  return tryLock(nameOf(folderPrefix(id)), work);
}

function tryLock<T>(name: string, work: () => Promise<T>): Promise<{ value: T } | null> {
  const run = async (lock: Lock | null) => (lock ? { value: await work() } : null);
  return navigator.locks.request(name, { ifAvailable: true }, run) as Promise<{ value: T } | null>;
}

/** Says whether somebody changes the folders with this prefix now. */
export async function isBusy(prefix: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === nameOf(prefix));
}
