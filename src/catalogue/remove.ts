import { lstat, realpath, rmdir, unlink } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';

/** What removing a model takes away. */
export interface Removal {
  files: string[];
  /** What they occupy together; a link counts as itself. */
  bytes: number;
}

/** Looks at the files of a model. Throws when one of them does not really lie in the models folder. */
export async function planRemoval(folder: string, files: string[]): Promise<Removal> {
  const root = await realpath(folder);
  let bytes = 0;
  for (const file of files) {
    const place = await realpath(dirname(file));
    if (!isWithin(root, place)) throw new Error(`${file} is a file of ${place}, outside of the models folder`);
    bytes += (await lstat(file)).size;
  }
  return { files, bytes };
}

/** Removes what was planned, then the folders that this leaves empty, up to the models folder itself, which stays. */
export async function removeModel(folder: string, { files }: Removal): Promise<void> {
  for (const file of files) await unlink(file);
  for (const place of new Set(files.map(dirname))) await removeEmptyFolders(folder, place);
}

async function removeEmptyFolders(folder: string, from: string): Promise<void> {
  for (let place = from; place !== folder && isWithin(folder, place); place = dirname(place)) {
    try {
      await rmdir(place);
    } catch {
      // It holds something else.
      return;
    }
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}
