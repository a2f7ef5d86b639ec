import { diskFull } from '../../src/catalogue/pull/errors.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import { isBusy } from './model-lock.ts';
import { prefixOfFolder, removeFolder, unfinishedFolders } from './store.ts';

/**
 * Makes sure that the origin's storage has room for this many more bytes of a model. If it has not, the files of
 * unfinished pulls of other models are removed.
 *
 * @throws ApiError that names the needed bytes and the free bytes
 */
export async function ensureStorageSpace(id: string, bytes: number): Promise<void> {
  if (bytes <= (await freeBytes())) return;
  for (const folder of await unfinishedFolders()) {
    if (!(await isBusy(prefixOfFolder(folder)))) await removeFolder(folder);
  }
  const free = await freeBytes();
  if (bytes <= free) return;
  throw diskFull(
    `${id} needs ${formatBytes(bytes)} more of the browser's storage, which has ${formatBytes(free)} left for this site. ` +
      'Remove models that you no longer need, or free space on the disk.',
  );
}

/** Returns how many more bytes the browser lets this site store; infinity if the browser does not say. */
export async function freeBytes(): Promise<number> {
  try {
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return Math.max(0, quota - usage);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
