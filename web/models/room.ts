import { diskFull, invalidSource, sizeInWords } from '../../src/catalogue/pull/errors.ts';
import { WASM_MEMORY_BYTES } from '../../src/engine/wasm/memory-limit.ts';
import { isBusy } from './model-lock.ts';
import { prefixOf, removeFolder, unfinishedFolders } from './store.ts';

/**
 * Sees to it that the origin's storage takes more bytes for a model. Where it has no room for them, what other pulls have left
 * unfinished gives way.
 *
 * @throws ApiError with what is needed and what there is
 */
export async function makeRoom(id: string, bytes: number): Promise<void> {
  if (bytes <= (await freeBytes())) return;
  for (const folder of await unfinishedFolders()) {
    if (!(await isBusy(prefixOf(folder)))) await removeFolder(folder);
  }
  const free = await freeBytes();
  if (bytes <= free) return;
  throw diskFull(
    `${id} needs ${sizeInWords(bytes)} more of the browser's storage, which has ${sizeInWords(free)} left for this site. ` +
      'Remove models that you no longer need, or free space on the disk.',
  );
}

/** Throws an `ApiError` for what can be stored, but never loaded. */
export function checkLoadable(id: string, bytes: number): void {
  if (bytes < WASM_MEMORY_BYTES) return;
  throw invalidSource(
    `${id} has ${sizeInWords(bytes)}, and a browser gives a model no more than ${sizeInWords(WASM_MEMORY_BYTES)} of memory. ` +
      'Take a smaller quantization or a smaller model.',
  );
}

/** What the browser lets this site store besides. */
export async function freeBytes(): Promise<number> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  return Math.max(0, quota - usage);
}
