/** A file, wherever it is. */
export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /** The bytes from `offset` on, fewer than asked for only where the file ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Chunks grow, since headers are short or long: of a model without a vocabulary of size, or of one with it. */
const FIRST_CHUNK = 16 * 1024;
const GROWTH = 8;
const LAST_CHUNK = 1024 * 1024;
/** What a file may ask to hold in memory at once. */
const LARGEST_CHUNK = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

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
  readonly #source: ByteSource;
  #chunk: Uint8Array = new Uint8Array();
  /** Of the chunk. */
  #view: DataView = new DataView(this.#chunk.buffer);
  #chunkStart = 0;
  /** Where the reader stands within the chunk, or beyond it. */
  #at = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Of the whole file, in bytes. */
  get size(): number {
    return this.#source.size;
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
  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#chunk.subarray(start, start + length);
  }

  text(length: number): string {
    return utf8.decode(this.bytes(length));
  }

  /** What `read` makes of the next bytes. */
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

  /** Goes on without reading. Throws `IncompleteFile`. */
  skip(length: number): void {
    const end = this.position + length;
    if (end > this.size) throw new IncompleteFile(this.size, end);
    this.#at += length;
  }

  /** Steps over bytes that the chunk has, and tells where in it they begin. */
  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#chunk.length) throw new ChunkEnds(this.position + length);
    this.#at = start + length;
    return start;
  }

  /** Makes the chunk begin at `start` and reach `needed` at least. */
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
