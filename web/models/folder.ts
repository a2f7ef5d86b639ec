import { diskFull } from '../../src/catalogue/pull/errors.ts';

// Access to the origin's private file system by paths.

/** Files can be moved since Chromium 110, Firefox 111 and Safari 15.2, but TypeScript's types lack it. */
interface MovableFile extends FileSystemFileHandle {
  move(name: string): Promise<void>;
}

/**
 * Opens the folder at this path from the origin's private one. Makes the folders that are missing. Throws an `ApiError`
 * if the browser lets the site keep no files.
 */
export async function makeFolder(path: string[]): Promise<FileSystemDirectoryHandle> {
  const root = await findRoot();
  if (!root) {
    throw diskFull(
      'This browser lets the site keep no files here, as many do not in private windows. The built-in model works all the same.',
    );
  }
  let folder = root;
  for (const name of path) folder = await folder.getDirectoryHandle(name, { create: true });
  return folder;
}

/** Opens the folder at this path; null if it is missing, as all are where the browser keeps no files. */
export async function findFolder(path: string[]): Promise<FileSystemDirectoryHandle | null> {
  const root = await findRoot();
  if (!root) return null;
  let folder = root;
  for (const name of path) {
    const next = await unlessMissing(folder.getDirectoryHandle(name));
    if (!next) return null;
    folder = next;
  }
  return folder;
}

/** A file that can be read; null if it is missing. */
export async function findFile(folder: FileSystemDirectoryHandle, name: string): Promise<File | null> {
  const handle = await unlessMissing(folder.getFileHandle(name));
  return handle && unlessMissing(handle.getFile());
}

/** Removes a file, or a folder with all that is in it. It may be missing. */
export async function removeFrom(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  await unlessMissing(folder.removeEntry(name, { recursive: true }));
}

/** Renames a file in one step. A file that has the new name already is replaced. */
export async function rename(folder: FileSystemDirectoryHandle, from: string, to: string): Promise<void> {
  await removeFrom(folder, to);
  await ((await folder.getFileHandle(from)) as MovableFile).move(to);
}

/** Writes a whole file: a half-written one is never there. Works in dedicated workers only. */
export async function writeWhole(folder: FileSystemDirectoryHandle, name: string, text: string): Promise<void> {
  const unfinished = `${name}.new`;
  const file = await (await folder.getFileHandle(unfinished, { create: true })).createSyncAccessHandle();
  try {
    file.truncate(0);
    file.write(new TextEncoder().encode(text));
    file.flush();
  } finally {
    file.close();
  }
  await rename(folder, unfinished, name);
}

/** The origin's private folder; null if this browser has none, or denies it. */
async function findRoot(): Promise<FileSystemDirectoryHandle | null> {
  try {
    return await navigator.storage.getDirectory();
  } catch {
    return null;
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return null;
    throw error;
  }
}
