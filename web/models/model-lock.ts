import type { PullEvent } from '../../src/contract/models/puller.ts';
import { folderPrefix } from './store.ts';

/** Returns the name of the lock that is held while the folders with this prefix change. */
const nameOf = (prefix: string) => `paddock-model:${prefix}`;

/**
 * Runs `work` while nobody else changes the model's folders. If another worker holds the lock, it emits that it waits:
 * the worker of a page that is closing may still be busy.
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

/** Runs `work` on the model's folders, or returns null at once if another worker holds the lock. */
export function unlessBusy<T>(id: string, work: () => Promise<T>): Promise<{ value: T } | null> {
  return tryLock(nameOf(folderPrefix(id)), work);
}

function tryLock<T>(name: string, work: () => Promise<T>): Promise<{ value: T } | null> {
  const run = async (lock: Lock | null) => (lock ? { value: await work() } : null);
  return navigator.locks.request(name, { ifAvailable: true }, run) as Promise<{ value: T } | null>;
}

/** True if a worker is changing the folders with this prefix. */
export async function isBusy(prefix: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === nameOf(prefix));
}
