import type { ByteSource } from './file-reader.ts';

/** A file that is a Blob, read on demand. */
export function blobBytes(blob: Blob): ByteSource {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}
