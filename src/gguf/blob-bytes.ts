import type { ByteSource } from './file-reader.ts';

/** Reads a Blob on demand as a byte source. */
export function blobBytes(blob: Blob): ByteSource {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}
