import { opendirSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';

/** Throws a `UsageError` if the models folder is there and can't be read. One that is not there yet has no models. */
export function checkModelsFolder(folder: string): void {
  try {
    opendirSync(folder).closeSync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new UsageError(`${folder}, the models folder, can't be read: ${messageOf(error)}`);
  }
}
