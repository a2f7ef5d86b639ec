import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapLimited } from '../../utils/map-limited.ts';
import type { FoundFile, FoundFolder } from '../found-file.ts';

/** The most files that are open at once. More are not faster, and the system limits how many a process may open. */
export const MOST_FILES_AT_ONCE = 16;

/** True if the catalogue ignores files and folders of this name. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** True if the catalogue reads files of this name. */
export function isRead(name: string): boolean {
  return name.endsWith('.gguf') || name === 'model.json' || name.endsWith('.model.json');
}

/** The contents of a models folder and its subfolders. Links are followed. */
export interface Listing {
  /** The folder itself and all its subfolders. */
  folders: FoundFolder[];
  /** The files that the catalogue reads. */
  files: FoundFile[];
}

/** Lists a models folder. Throws if it can't be read. */
export async function listFolder(root: string): Promise<Listing> {
  const visited = new Map<string, FoundFolder>();
  const places = await findPlaces(root, '', visited);
  const files = await mapLimited(places, MOST_FILES_AT_ONCE, async ({ folder, name }) => {
    const path = join(root, folder, name);
    // The file may be gone by now, or be a link to nowhere.
    const stats = await stat(path).catch(() => null);
    if (!stats?.isFile()) return [];
    const { size, mtimeMs, ctimeMs, ino } = stats;
    return [{ path, name, folder, size, modified: mtimeMs, stamp: [path, size, mtimeMs, ctimeMs, ino].join(':') }];
  });
  return { folders: [...visited.values()], files: files.flat() };
}

type Place = Pick<FoundFile, 'folder' | 'name'>;

/** Finds the files to read. `visited` holds the folders by their real paths, so that circular links end. */
async function findPlaces(root: string, folder: string, visited: Map<string, FoundFolder>): Promise<Place[]> {
  const path = join(root, folder);
  const real = await realpath(path);
  if (visited.has(real)) return [];
  const { ino, birthtimeMs } = await stat(path);
  visited.set(real, { path, stamp: `${ino}:${birthtimeMs}` });
  const entries = await readdir(path, { withFileTypes: true });
  const places = entries
    .filter(({ name }) => !isHidden(name))
    .map(async (entry): Promise<Place[]> => {
      const { name } = entry;
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(path, name))));
      if (!isFolder) return isRead(name) ? [{ folder, name }] : [];
      // The other subfolders count even if this one has just gone or may not be read.
      return findPlaces(root, folder === '' ? name : `${folder}/${name}`, visited).catch(() => []);
    });
  return (await Promise.all(places)).flat();
}

async function leadsToFolder(link: string): Promise<boolean> {
  const stats = await stat(link).catch(() => null);
  return stats?.isDirectory() ?? false;
}
