import { type FileHandle, open } from 'node:fs/promises';
import type { ByteSource } from '../file-reader.ts';

/** Opens a file of the disk for as long as it is read; `size` is in bytes. */
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

/** The bytes of an open file from `offset` on, fewer than asked for only where it ends. */
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
