import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { NoRoom, type PartFile } from '../../src/catalogue/pull/part-file.ts';

const MIB = 1024 * 1024;
/** Bytes that are hashed in one task. Between tasks the worker shows that it is alive. */
const STRETCH = 16 * MIB;

/**
 * A part of a file in the origin's private file system. Each write reaches the file at once, so nothing is lost if the
 * worker is stopped.
 */
export interface PrivatePart extends PartFile {
  close(): void;
}

/**
 * Wraps an open file, which `close` closes.
 *
 * @param hashing hashes the bytes while they are written in order, so that `sha256` has less to read
 */
export function createPrivatePart(file: FileSystemSyncAccessHandle, hashing: boolean): PrivatePart {
  let hash = sha256.create();
  let hashed = 0;
  const forgetHash = () => {
    hash = sha256.create();
    hashed = 0;
  };
  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, file.getSize() - offset)));
    return bytes.subarray(0, file.read(bytes, { at: offset }));
  };

  return {
    size: async () => file.getSize(),
    async write(bytes, position) {
      if (writeAt(file, bytes, position) < bytes.length) throw new NoRoom("The browser's storage was full");
      if (hashing && position === hashed) {
        hash.update(bytes);
        hashed += bytes.length;
      } else if (position < hashed) forgetHash();
    },
    flush: async () => file.flush(),
    async clear() {
      file.truncate(0);
      forgetHash();
    },
    read: async (offset, length) => read(offset, length),
    async sha256(signal) {
      for (let size = file.getSize(); hashed < size; ) {
        signal.throwIfAborted();
        for (const end = Math.min(hashed + STRETCH, size); hashed < end; ) {
          const piece = read(hashed, Math.min(MIB, end - hashed));
          hash.update(piece);
          hashed += piece.length;
        }
        await new Promise((resolve) => setTimeout(resolve));
      }
      const digest = bytesToHex(hash.digest());
      forgetHash();
      return digest;
    },
    close: () => file.close(),
  };
}

/** Returns the number of written bytes: fewer than all if the storage is full. */
function writeAt(file: FileSystemSyncAccessHandle, bytes: Uint8Array, position: number): number {
  try {
    return file.write(bytes as Uint8Array<ArrayBuffer>, { at: position });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'QuotaExceededError') return 0;
    throw error;
  }
}
