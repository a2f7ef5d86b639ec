import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapLimited } from '../../core/map-limited.ts';
import type { FoundFile, FoundFolder } from '../found-file.ts';

/** Files that are open at once; more are not faster, and what a process may open is limited. */
export const MOST_FILES_AT_ONCE = 16;

/** Whether a file or folder of this name is none of the catalogue's business. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** Whether the catalogue reads files of this name. */
export function isRead(name: string): boolean {
  return name.endsWith('.gguf') || name === 'model.json' || name.endsWith('.model.json');
}

/** What a models folder and its subfolders hold, links followed. */
export interface Listing {
  /** The folder and all its subfolders. */
  folders: FoundFolder[];
  /** The files that the catalogue reads. */
  files: FoundFile[];
}

/** Throws when the folder can't be read. */
export async function listFolder(root: string): Promise<Listing> {
  const visited = new Map<string, FoundFolder>();
  const places = await findPlaces(root, '', visited);
  const files = await mapLimited(places, MOST_FILES_AT_ONCE, async ({ folder, name }) => {
    const path = join(root, folder, name);
    // It may be gone by now, or a link to nowhere.
    const stats = await stat(path).catch(() => null);
    if (!stats?.isFile()) return [];
    const { size, mtimeMs, ctimeMs, ino } = stats;
    return [{ path, name, folder, size, modified: mtimeMs, stamp: [path, size, mtimeMs, ctimeMs, ino].join(':') }];
  });
  return { folders: [...visited.values()], files: files.flat() };
}

type Place = Pick<FoundFile, 'folder' | 'name'>;

/** `visited` has the folders by their real paths, since links can go round in circles. */
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
      // A subfolder that goes away meanwhile, or that is not for us, must not hide the others.
      return findPlaces(root, folder === '' ? name : `${folder}/${name}`, visited).catch(() => []);
    });
  return (await Promise.all(places)).flat();
}

async function leadsToFolder(link: string): Promise<boolean> {
  const stats = await stat(link).catch(() => null);
  return stats?.isDirectory() ?? false;
}
