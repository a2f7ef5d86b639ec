/** Looks at the strings of a JSON text. A string may begin in one piece of the text and end in a later one. */
export interface StringScan {
  /**
   * Returns the index of the quote that ends the string, or the length of the piece if the string goes on in the next
   * piece.
   */
  findEnd(bytes: Uint8Array, start: number): number;
  /** True if a string so far escapes half of a surrogate pair, as in `\ud83d`. */
  escapesSurrogates(): boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_D = 0x64;
const LETTER_U = 0x75;
const DIGIT_8 = 0x38;
const LOWER_CASE = 0x20;

/** Makes the scan of the strings of one JSON text in UTF-8. It remembers an escape that the end of a piece cuts. */
export function createStringScan(): StringScan {
  let state: number = NO_ESCAPE;
  let surrogates = false;

  return {
    findEnd(bytes, start) {
      let index = start;
      while (index < bytes.length) {
        if (state === NO_ESCAPE) {
          index = findMark(bytes, index);
          if (index === bytes.length || bytes[index] === QUOTE) return index;
          state = BEHIND_BACKSLASH;
        } else {
          state = nextEscape(state, bytes[index] as number);
          if (state === SURROGATE) {
            surrogates = true;
            state = NO_ESCAPE;
          }
        }
        index += 1;
      }
      return index;
    },
    escapesSurrogates: () => surrogates,
  };
}

/** How much of an escape such as `\ud83d` has been read. The last digits do not matter, nor does any other escape. */
export const NO_ESCAPE = 0;
export const BEHIND_BACKSLASH = 1;
export const BEHIND_U = 2;
export const BEHIND_D = 3;
/** `\ud8` to `\udf` have been read: they begin the halves of surrogate pairs. */
export const SURROGATE = 4;

/** Returns the state of an escape after one more byte. */
export function nextEscape(state: number, byte: number): number {
  if (state === BEHIND_BACKSLASH) return byte === LETTER_U ? BEHIND_U : NO_ESCAPE;
  if (state === BEHIND_U) return (byte | LOWER_CASE) === LETTER_D ? BEHIND_D : NO_ESCAPE;
  return byte >= DIGIT_8 ? SURROGATE : NO_ESCAPE;
}

/** Returns the index of the next quote or backslash, or the length. */
function findMark(bytes: Uint8Array, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE && bytes[index] !== BACKSLASH) index += 1;
  return index;
}
