import type { ByteSource } from '../../src/gguf/file-reader.ts';

/** A file in memory as a byte source. */
export function inMemory(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}
