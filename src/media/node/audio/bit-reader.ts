import { broken } from '../../problem.ts';

/** The most bits that a window of four bytes holds after any number of bits of its first byte. */
const MOST_AT_ONCE = 25;

/** Reads whole numbers of any number of bits, the highest bit first. Throws a `MediaProblem` at the end of the bytes. */
export class BitReader {
  readonly #bytes: Uint8Array;
  /** The number of bits before the next one. */
  #at = 0;

  constructor(bytes: Uint8Array, atByte: number) {
    this.#bytes = bytes;
    this.#at = 8 * atByte;
  }

  /** Returns an unsigned number of up to 32 bits. */
  read(bits: number): number {
    if (bits === 0) return 0;
    if (bits > MOST_AT_ONCE) return this.read(bits - 16) * 65_536 + this.read(16);
    const value = this.#window() >>> (32 - bits);
    this.#skip(bits);
    return value;
  }

  /** Returns a signed number in two's complement. */
  readSigned(bits: number): number {
    const value = this.read(bits);
    return value >= 2 ** (bits - 1) ? value - 2 ** bits : value;
  }

  /** Returns the number of zeros before the next one, and reads them and the one. */
  readZeros(): number {
    let zeros = 0;
    for (;;) {
      const found = Math.clz32(this.#window());
      if (found < MOST_AT_ONCE) {
        this.#skip(found + 1);
        return zeros + found;
      }
      this.#skip(MOST_AT_ONCE);
      zeros += MOST_AT_ONCE;
    }
  }

  /** Skips the bits up to the next whole byte, and returns its position. */
  align(): number {
    this.#at = 8 * Math.ceil(this.#at / 8);
    return this.#at / 8;
  }

  #window(): number {
    const byte = this.#at >>> 3;
    const bytes = this.#bytes;
    const four =
      ((bytes[byte] ?? 0) << 24) |
      ((bytes[byte + 1] ?? 0) << 16) |
      ((bytes[byte + 2] ?? 0) << 8) |
      (bytes[byte + 3] ?? 0);
    return (four << (this.#at & 7)) >>> 0;
  }

  #skip(bits: number): void {
    this.#at += bits;
    if (this.#at > 8 * this.#bytes.length) throw broken('is a broken FLAC: it ends within a frame.');
  }
}
