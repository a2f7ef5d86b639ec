import { builtInModelsFolder } from '../catalogue/node/built-in.ts';
import { type FileCatalogue, readFileCatalogue } from '../catalogue/node/catalogue.ts';
import type { Log } from '../contract/log.ts';
import { checkModelsFolder } from '../serve/config/models-folder.ts';
import { headerCacheFile } from '../serve/home.ts';
import { note } from '../serve/output.ts';

const ignore = () => {};

/** A log that writes only warnings, to standard error, as lines for users. */
export const warnings: Log = {
  debug: ignore,
  info: ignore,
  warn: (message, fields) => note(`paddock: ${message}${describe(fields)}`),
  error: (message, fields) => note(`paddock: ${message}${describe(fields)}`),
};

/** Reads the models on this machine, the built-in one included. Throws a `UsageError` if the folder can't be read. */
export function readLocalModels(folder: string): Promise<FileCatalogue> {
  checkModelsFolder(folder);
  return findLocalModels(folder, warnings);
}

/** Reads the models as `readLocalModels` does, and writes all problems to `log`. */
export function findLocalModels(folder: string, log: Log): Promise<FileCatalogue> {
  return readFileCatalogue([folder, builtInModelsFolder], log, headerCacheFile());
}

/** Makes the error for an unknown model. It lists the models that exist. */
export function unknownModel(id: string, ids: string[]): Error {
  return new Error(`there is no model '${id}'; ${ids.length === 0 ? 'there are none' : `there are ${ids.join(', ')}`}`);
}

function describe(fields: Record<string, unknown> = {}): string {
  const texts = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  return texts.length === 0 ? '' : `: ${texts.join(', ')}`;
}
