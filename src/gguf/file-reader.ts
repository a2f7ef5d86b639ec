/** A file on a disk, in memory or elsewhere. */
export interface ByteSource {
  /** Size in bytes. */
  readonly size: number;
  /** Reads `length` bytes from `offset` on. Returns fewer only if the file ends before. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The sizes of chunks in bytes. They grow: a header without a vocabulary fits the first, and one with it is long. */
const FIRST_CHUNK = 16 * 1024;
const GROWTH = 8;
const LAST_CHUNK = 1024 * 1024;
/** The largest item that a header may make the reader hold in memory, in bytes. */
const LARGEST_CHUNK = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A file is shorter than its header promises. */
export class IncompleteFile extends Error {
  /** The file's size in bytes. */
  readonly size: number;
  /** The least number of bytes that the complete file has. */
  readonly expected: number;

  constructor(size: number, expected: number) {
    super(`the file is incomplete: it has ${size} bytes of at least ${expected}`);
    this.size = size;
    this.expected = expected;
  }
}

/** A read needs bytes up to `needed`, after the end of the chunk. */
class ChunkEnds {
  readonly needed: number;
  constructor(needed: number) {
    this.needed = needed;
  }
}

/** Reads a little-endian file forwards in chunks. It never reads further than one chunk beyond what was asked for. */
export class FileReader {
  readonly #source: ByteSource;
  #chunk: Uint8Array = new Uint8Array();
  /** A view of the chunk. */
  #view: DataView = new DataView(this.#chunk.buffer);
  #chunkStart = 0;
  /** The current position relative to the chunk. It may be beyond its end. */
  #at = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The size of the whole file in bytes. */
  get size(): number {
    return this.#source.size;
  }

  /** The current position in bytes from the beginning of the file. */
  get position(): number {
    return this.#chunkStart + this.#at;
  }

  /**
   * Runs `reads` at the current position. If the chunk ends within them, runs them again with a larger chunk. Throws
   * `IncompleteFile`.
   */
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

  /**
   * Returns the next bytes. They are valid until the next attempt. This and the methods below must run within an
   * attempt.
   */
  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#chunk.subarray(start, start + length);
  }

  text(length: number): string {
    return utf8.decode(this.bytes(length));
  }

  /** Returns what `read` makes of the next `length` bytes. */
  number<T>(length: number, read: (view: DataView, at: number) => T): T {
    const start = this.#take(length);
    return read(this.#view, start);
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** Exact up to 2^53. */
  uint64(): number {
    const start = this.#take(8);
    return this.#view.getUint32(start, true) + this.#view.getUint32(start + 4, true) * 2 ** 32;
  }

  /** Moves forward without reading. Throws `IncompleteFile`. */
  skip(length: number): void {
    const end = this.position + length;
    if (end > this.size) throw new IncompleteFile(this.size, end);
    this.#at += length;
  }

  /** Moves past bytes of the chunk and returns the index at which they begin. */
  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#chunk.length) throw new ChunkEnds(this.position + length);
    this.#at = start + length;
    return start;
  }

  /**
   * Reads a chunk that begins at `start` and reaches at least to `needed`. Both count bytes from the beginning of the
   * file.
   */
  async #fill(start: number, needed: number): Promise<void> {
    if (needed > this.size) throw new IncompleteFile(this.size, needed);
    if (needed - start > LARGEST_CHUNK) throw new Error(`the header has an item of ${needed - start} bytes`);
    const grown = this.#chunk.length === 0 ? FIRST_CHUNK : Math.min(LAST_CHUNK, this.#chunk.length * GROWTH);
    const wanted = Math.max(needed - start, grown);
    const chunk = await this.#source.read(start, Math.min(wanted, this.size - start));
    if (start + chunk.length < needed) throw new IncompleteFile(start + chunk.length, needed);
    this.#chunk = chunk;
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#chunkStart = start;
    this.#at = 0;
  }
}
