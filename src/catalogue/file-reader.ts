import type { FileHandle } from 'node:fs/promises';

/** Chunks grow, since headers are short or long: of a model without a vocabulary of size, or of one with it. */
const FIRST_CHUNK = 16 * 1024;
const GROWTH = 8;
const LAST_CHUNK = 1024 * 1024;
/** What a file may ask to hold in memory at once. */
const LARGEST_CHUNK = 8 * 1024 * 1024;

/** A file ends before what its header promises. */
export class IncompleteFile extends Error {
  /** In bytes. */
  readonly size: number;
  /** What the whole file has at least, in bytes. */
  readonly expected: number;

  constructor(size: number, expected: number) {
    super(`the file is incomplete: it has ${size} bytes of at least ${expected}`);
    this.size = size;
    this.expected = expected;
  }
}

/** The chunk ends at a position that a read needs. */
class ChunkEnds {
  readonly needed: number;
  constructor(needed: number) {
    this.needed = needed;
  }
}

/** Reads a little-endian file forwards, chunk by chunk, and no further than it is asked to but for the chunk. */
export class FileReader {
  readonly size: number;
  readonly #file: Pick<FileHandle, 'read'>;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkStart = 0;
  /** Where the reader stands within the chunk, or beyond it. */
  #at = 0;

  constructor(file: Pick<FileHandle, 'read'>, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Bytes from the beginning of the file. */
  get position(): number {
    return this.#chunkStart + this.#at;
  }

  /** Runs reads from here, and once more with more of the file where its chunk ends within them. Throws `IncompleteFile`. */
  async attempt<T>(reads: () => T): Promise<T> {
    const start = this.position;
    for (;;) {
      try {
        return reads();
      } catch (reason) {
        if (!(reason instanceof ChunkEnds)) throw reason;
        await this.#fill(start, reason.needed);
      }
    }
  }

  /** The next bytes, valid until the next attempt. For use in an attempt, as those below. */
  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#chunk.length) throw new ChunkEnds(this.#chunkStart + end);
    const bytes = this.#chunk.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  uint32(): number {
    return this.bytes(4).readUInt32LE();
  }

  /** Exact up to 2^53. */
  uint64(): number {
    if (this.#at + 8 > this.#chunk.length) throw new ChunkEnds(this.position + 8);
    const number = this.#chunk.readUInt32LE(this.#at) + this.#chunk.readUInt32LE(this.#at + 4) * 2 ** 32;
    this.#at += 8;
    return number;
  }

  /** Goes on without reading. Throws `IncompleteFile`. */
  skip(length: number): void {
    const end = this.position + length;
    if (end > this.size) throw new IncompleteFile(this.size, end);
    this.#at += length;
  }

  /** Makes the chunk begin at `start` and reach `needed` at least. */
  async #fill(start: number, needed: number): Promise<void> {
    if (needed > this.size) throw new IncompleteFile(this.size, needed);
    if (needed - start > LARGEST_CHUNK) throw new Error(`the header has an item of ${needed - start} bytes`);
    const grown = this.#chunk.length === 0 ? FIRST_CHUNK : Math.min(LAST_CHUNK, this.#chunk.length * GROWTH);
    const wanted = Math.max(needed - start, grown);
    const chunk = Buffer.allocUnsafe(Math.min(wanted, this.size - start));
    let filled = 0;
    while (filled < chunk.length) {
      const { bytesRead } = await this.#file.read(chunk, filled, chunk.length - filled, start + filled);
      if (bytesRead === 0) throw new IncompleteFile(start + filled, needed);
      filled += bytesRead;
    }
    this.#chunk = chunk;
    this.#chunkStart = start;
    this.#at = 0;
  }
}
