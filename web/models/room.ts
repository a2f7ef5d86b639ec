import { diskFull, invalidSource } from '../../src/catalogue/pull/errors.ts';
import { WASM_MEMORY_BYTES } from '../../src/engine/wasm/memory-limit.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import { isBusy } from './model-lock.ts';
import { prefixOf, removeFolder, unfinishedFolders } from './store.ts';

/**
 * Makes sure that the origin's storage has room for so many more bytes of a model. If it has none, the files of other
 * unfinished pulls are removed.
 *
 * @throws ApiError that names the bytes needed and the bytes left
 */
export async function makeRoom(id: string, bytes: number): Promise<void> {
  if (bytes <= (await freeBytes())) return;
  for (const folder of await unfinishedFolders()) {
    if (!(await isBusy(prefixOf(folder)))) await removeFolder(folder);
  }
  const free = await freeBytes();
  if (bytes <= free) return;
  throw diskFull(
    `${id} needs ${formatBytes(bytes)} more of the browser's storage, which has ${formatBytes(free)} left for this site. ` +
      'Remove models that you no longer need, or free space on the disk.',
  );
}

/** Throws an `ApiError` for a model that could be stored, but is too large ever to be loaded. */
export function checkLoadable(id: string, bytes: number): void {
  if (bytes < WASM_MEMORY_BYTES) return;
  throw invalidSource(
    `${id} has ${formatBytes(bytes)}, and a browser gives a model no more than ${formatBytes(WASM_MEMORY_BYTES)} of memory. ` +
      'Take a smaller quantization or a smaller model.',
  );
}

/** How much more the browser lets this site store, in bytes; no bound is known if the browser does not say. */
export async function freeBytes(): Promise<number> {
  try {
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return Math.max(0, quota - usage);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
