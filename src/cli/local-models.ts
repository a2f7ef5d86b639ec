import { builtInModelsFolder } from '../catalogue/node/built-in.ts';
import { type FileCatalogue, readCatalogue } from '../catalogue/node/catalogue.ts';
import type { Log } from '../core/log.ts';
import { headerCacheFile } from './home.ts';
import { note } from './output.ts';

const ignore = () => {};

/** Warnings for people, on standard error. */
export const warnings: Log = {
  debug: ignore,
  info: ignore,
  warn: (message, fields) => note(`paddock: ${message}${describe(fields)}`),
  error: (message, fields) => note(`paddock: ${message}${describe(fields)}`),
};

/** The models on this machine, the built-in one included; what is wrong with any is told on standard error. */
export function readLocalModels(folder: string, log: Log = warnings): Promise<FileCatalogue> {
  return readCatalogue([folder, builtInModelsFolder], log, headerCacheFile());
}

/** An error that says which models there are. */
export function unknownModel(id: string, ids: string[]): Error {
  return new Error(`there is no model '${id}'; ${ids.length === 0 ? 'there are none' : `there are ${ids.join(', ')}`}`);
}

function describe(fields: Record<string, unknown> = {}): string {
  const texts = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  return texts.length === 0 ? '' : `: ${texts.join(', ')}`;
}
