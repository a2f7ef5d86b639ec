import { opendirSync } from 'node:fs';
import { messageOf } from '../../utils/error-message.ts';
import { UsageError } from '../errors.ts';

/** Throws a `UsageError` if the models folder exists and can't be read. A folder that does not exist yet is valid: it has no models. */
export function checkModelsFolder(folder: string): void {
  try {
    opendirSync(folder).closeSync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new UsageError(`${folder}, the models folder, can't be read: ${messageOf(error)}`);
  }
}
