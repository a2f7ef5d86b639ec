import { lstat, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { ModelSource } from '../../engine/engine.ts';
import { stemOf } from '../model-files.ts';
import { isNamedProjector } from '../projector.ts';
import type { FileCatalogue } from './catalogue.ts';

/** What removing a model takes away. */
export interface Removal {
  /** Its own files, those of its description included, and its projector unless another model uses that too. */
  files: string[];
  /** What they occupy together; a link counts as itself. */
  bytes: number;
}

/** A file of a model is another folder's, so it is not ours to remove. */
export class OutsideFolder extends Error {
  override readonly name = 'OutsideFolder';
}

/** The sources of all models of a catalogue but one. */
export function otherSources({ list, sourceOf }: Pick<FileCatalogue, 'list' | 'sourceOf'>, id: string): ModelSource[] {
  return list().flatMap((model) => (model.id === id ? [] : (sourceOf(model.id) ?? [])));
}

/**
 * Finds what belongs to one model alone.
 *
 * @param folder the models folder. Throws `OutsideFolder` when any of the files does not really lie in it
 * @param others as `otherSources` gives them
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

/** Removes what was planned, then the folders that this leaves empty, up to the models folder itself, which stays. */
export async function removeModel(folder: string, { files }: Removal): Promise<void> {
  // The description goes last: a model that is left in part must not lose its name.
  for (const file of files) await unlink(file);
  for (const place of new Set(files.map(dirname))) await removeEmptyFolders(folder, place);
}

/**
 * What else goes with a model's files: `<stem>.model.json` beside them, and in a folder where no other model is left
 * `model.json` and the projectors.
 */
async function companionsOf(files: string[], shared: Set<string>): Promise<string[]> {
  const found = await Promise.all(
    [...new Set(files.map(dirname))].map(async (place) => {
      const own = files.filter((file) => dirname(file) === place).map((file) => basename(file));
      const others = (await readdir(place)).filter((name) => !own.includes(name));
      const alone = !others.some((name) => name.endsWith('.gguf') && !isNamedProjector(name));
      const descriptions = new Set(own.map((name) => `${stemOf(name)}.model.json`));
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
