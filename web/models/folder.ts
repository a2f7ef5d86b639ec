import { diskFull } from '../../src/catalogue/pull/errors.ts';

// Access to the origin's private file system by paths.

/** Files can be moved since Chromium 110, Firefox 111 and Safari 15.2, but TypeScript's types lack it. */
interface MovableFile extends FileSystemFileHandle {
  move(name: string): Promise<void>;
}

/**
 * Opens the folder at this path in the origin's private file system, and makes the missing folders. Throws an
 * `ApiError` if the browser stores no files for this site.
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

/** Opens the folder at this path. Returns null if it is missing, or if the browser stores no files for this site. */
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

/** Returns the file; null if it is missing. */
export async function findFile(folder: FileSystemDirectoryHandle, name: string): Promise<File | null> {
  const handle = await unlessMissing(folder.getFileHandle(name));
  return handle && unlessMissing(handle.getFile());
}

/** Removes a file, or a folder with its content. Does nothing if it is missing. */
export async function removeFrom(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  await unlessMissing(folder.removeEntry(name, { recursive: true }));
}

/** Renames a file in one step. Replaces a file that has the new name. */
export async function rename(folder: FileSystemDirectoryHandle, from: string, to: string): Promise<void> {
  await removeFrom(folder, to);
  await ((await folder.getFileHandle(from)) as MovableFile).move(to);
}

/** Writes a file in one step: readers see the old content or the new, never a part. Works in dedicated workers only. */
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

/** Returns the root of the origin's private file system; null if the browser has none or denies it. */
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
