import type { ByteSource } from '../../gguf/file-reader.ts';

/** An unfinished file. Bytes that were written stay even if the process ends. */
export interface PartFile extends Pick<ByteSource, 'read'> {
  /** The current length in bytes. */
  size(): Promise<number>;
  /** Writes at a position in bytes. Throws `NoRoom`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Makes sure that the written bytes survive a power failure. */
  flush(): Promise<void>;
  /** Deletes the content. */
  clear(): Promise<void>;
  /** Returns the hash of the whole content in hex. */
  sha256(signal: AbortSignal): Promise<string>;
}

/** A write failed because the storage is full. The message completes the sentence "... after <n> bytes". */
export class NoRoom extends Error {}
