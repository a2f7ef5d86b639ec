import type { StoredFile } from '../protocol.ts';

/** A file of a model that is gone, incomplete or damaged. The message says what to do. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

const GGUF_MAGIC = 'GGUF';

/** Opens the file as a Blob that reads on demand. Throws `UnusableFile` if it is gone, incomplete or not a GGUF. */
export async function openStoredFile(stored: StoredFile): Promise<Blob> {
  const blob = await (stored.place === 'opfs' ? openPrivateFile(stored.path) : openShellFile(stored.url));
  if (blob === null) {
    throw new UnusableFile("A file of it is gone from the browser's storage. Remove the model and pull it again.");
  }
  if (blob.size !== stored.size) {
    throw new UnusableFile(
      `A file of it has ${blob.size} bytes instead of ${stored.size}. Remove the model and pull it again.`,
    );
  }
  if ((await blob.slice(0, GGUF_MAGIC.length).text()) !== GGUF_MAGIC) {
    throw new UnusableFile('A file of it is damaged or no GGUF. Remove the model and pull it again.');
  }
  return blob;
}

async function openPrivateFile(path: string[]): Promise<Blob | null> {
  try {
    let folder = await navigator.storage.getDirectory();
    for (const name of path.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
    return await (await folder.getFileHandle(path.at(-1) ?? '')).getFile();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return null;
    throw error;
  }
}

// After a forced reload the page has no service worker and can't fetch the file, but the cache still has it.
async function openShellFile(url: string): Promise<Blob | null> {
  const response = (await caches.match(url)) ?? (await fetch(url).catch(() => null));
  return response?.ok ? response.blob() : null;
}
