import type { ByteSource } from '../../gguf/file-reader.ts';

/** Where a file is put together. What is written in it stays, also when the process ends in the middle. */
export interface PartFile extends Pick<ByteSource, 'read'> {
  /** In bytes. */
  size(): Promise<number>;
  /** Throws `NoRoom`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Makes sure that what was written outlives a power failure. */
  flush(): Promise<void>;
  /** Throws away what is there. */
  clear(): Promise<void>;
  /** Of all that is there, in hex. */
  sha256(signal: AbortSignal): Promise<string>;
}

/** A write finds no room. The message completes the sentence "... after <n> bytes". */
export class NoRoom extends Error {}
