import { lstat, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { ModelSource } from '../../engine/engine.ts';
import { ggufStemOf } from '../model-files.ts';
import { isNamedProjector } from '../projector.ts';
import type { FileCatalogue } from './catalogue.ts';

/** The files to delete when a model is removed. */
export interface Removal {
  /** The model's files, its model.json, and its projector unless another model uses it. */
  files: string[];
  /** Size of all files together, in bytes. A link counts with its own size. */
  bytes: number;
}

/** A file of the model lies outside the models folder, so Paddock does not delete it. */
export class OutsideFolder extends Error {
  override readonly name = 'OutsideFolder';
}

/** Returns the sources of all models except one. */
export function otherSources({ list, sourceOf }: Pick<FileCatalogue, 'list' | 'sourceOf'>, id: string): ModelSource[] {
  return list().flatMap((model) => (model.id === id ? [] : (sourceOf(model.id) ?? [])));
}

/**
 * Finds the files that belong to this model alone.
 *
 * @param folder the models folder
 * @param others the sources of all other models, from `otherSources`
 * @throws OutsideFolder if the real path of any of the files is outside the folder
 */
export async function planRemoval(folder: string, source: ModelSource, others: ModelSource[]): Promise<Removal> {
  const shared = new Set(others.flatMap(({ files, projector }) => [...files, ...(projector ? [projector] : [])]));
  const own = [...source.files, ...(source.projector ? [source.projector] : [])].filter((file) => !shared.has(file));
  const files = [...own, ...(await companionsOf(own, shared))];
  const root = await realpath(folder);
  let bytes = 0;
  for (const file of files) {
    const place = await realpath(dirname(file));
    if (!isWithin(root, place)) throw new OutsideFolder(`${file} is a file of ${place}, outside of the models folder`);
    bytes += (await lstat(file)).size;
  }
  return { files, bytes };
}

/** Deletes the planned files, then the folders that have become empty. The models folder itself stays. */
export async function removeModelFiles(folder: string, { files }: Removal): Promise<void> {
  // The model.json is deleted last, so that a model whose removal stops halfway keeps its name.
  for (const file of files) await unlink(file);
  for (const place of new Set(files.map(dirname))) await removeEmptyFolders(folder, place);
}

/**
 * Finds the other files that go with a model: `<stem>.model.json` in the same folder, and `model.json` and the
 * projectors if no other model is left in the folder.
 */
async function companionsOf(files: string[], shared: Set<string>): Promise<string[]> {
  const found = await Promise.all(
    [...new Set(files.map(dirname))].map(async (place) => {
      const own = files.filter((file) => dirname(file) === place).map((file) => basename(file));
      const others = (await readdir(place)).filter((name) => !own.includes(name));
      const alone = !others.some((name) => name.endsWith('.gguf') && !isNamedProjector(name));
      const descriptions = new Set(own.map((name) => `${ggufStemOf(name)}.model.json`));
      return others
        .filter((name) => descriptions.has(name) || (alone && (name === 'model.json' || name.endsWith('.gguf'))))
        .map((name) => join(place, name))
        .filter((path) => !shared.has(path));
    }),
  );
  return found.flat();
}

async function removeEmptyFolders(folder: string, from: string): Promise<void> {
  for (let place = from; place !== folder && isWithin(folder, place); place = dirname(place)) {
    try {
      await rmdir(place);
    } catch {
      return;
    }
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}
