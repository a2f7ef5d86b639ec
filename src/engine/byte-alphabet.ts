/**
 * GPT-2's alphabet: a letter for each byte. A printable byte is its own letter; all other bytes have the letters from
 * U+0100 on.
 */
export const LETTER_OF_BYTE: readonly string[] = (() => {
  const printable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

const BYTE_OF_LETTER: ReadonlyMap<string, number> = new Map(
  LETTER_OF_BYTE.map((letter, byte) => [letter, byte] as const),
);

/** Returns the bytes of a byte-level token, or undefined if it is not written in that alphabet. */
export function byteLevelBytes(entry: string): Uint8Array | undefined {
  const bytes = [...entry].map((letter) => BYTE_OF_LETTER.get(letter));
  return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : undefined;
}
