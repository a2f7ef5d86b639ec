import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { readAt } from '../../../gguf/node/open-file.ts';
import { NoRoom, type PartFile } from '../part-file.ts';

/**
 * Opens an unfinished file on disk. If it does not exist, it begins empty. Throws the error of the file system if it
 * can't be opened. `write` throws `NoRoom` on a full disk.
 */
export async function openDiskPart(path: string): Promise<PartFile & AsyncDisposable> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT);
  return {
    size: async () => (await file.stat()).size,
    async write(bytes, position) {
      try {
        for (let written = 0; written < bytes.length; ) {
          const left = bytes.length - written;
          written += (await file.write(bytes, written, left, position + written)).bytesWritten;
        }
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') throw new NoRoom('The disk was full');
        throw error;
      }
    },
    flush: () => file.sync(),
    clear: () => file.truncate(),
    read: (offset, length) => readAt(file, offset, length),
    async sha256(signal) {
      const hash = createHash('sha256');
      for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) hash.update(piece);
      return hash.digest('hex');
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
