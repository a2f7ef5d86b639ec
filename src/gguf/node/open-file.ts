import { type FileHandle, open } from 'node:fs/promises';
import type { ByteSource } from '../file-reader.ts';

/** Opens a file on disk while `use` reads it. `size` is in bytes. */
export async function withOpenFile<T>(
  { path, size }: { path: string; size: number },
  use: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const file = await open(path);
  try {
    return await use({ size, read: (offset, length) => readAt(file, offset, length) });
  } finally {
    await file.close();
  }
}

/** Reads `length` bytes of an open file from `offset` on. Returns fewer only if the file ends before. */
export async function readAt(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
