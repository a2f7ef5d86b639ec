import { bodyKeyTooLong, bodyTooDeep, bodyTooManyValues } from './refusals.ts';

/** What a JSON body may hold. */
export interface JsonLimits {
  /** How many objects and lists may lie in one another. */
  depth: number;
  /** Values and keys in all; four numbers count as one, since they cost so much less. */
  values: number;
}

/**
 * Enough for agents: their tools' schemas are up to 20 objects deep, and a conversation of 1,000 turns with 100 tools has some
 * 30,000 values. No body within these limits keeps other requests waiting for 100 ms (benchmarks/hostile-bodies.ts).
 */
export const JSON_LIMITS: JsonLimits = { depth: 128, values: 50_000 };

/** Longer keys would cost more than all else: each is hashed and compared. */
const LONGEST_KEY_BYTES = 256;

const COST_OF_NUMBER = 1;
const COST_OF_OTHERS = 4;

/** Looks at the bytes of a JSON text, piece by piece as they come, before it is parsed. */
export interface JsonScan {
  /** Counts what a piece holds, in a time that grows with its length alone. Throws a 400 `ApiError` at a limit. */
  look(bytes: Uint8Array): void;
  /** Says whether the text so far escapes a half of a surrogate pair, which may be without its other half. */
  escapesSurrogates(): boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_D = 0x64;
const LETTER_U = 0x75;
const DIGIT_8 = 0x38;
const LOWER_CASE = 0x20;

const ORDINARY = 0;
const SPACE = 1;
const OPENING = 2;
const CLOSING = 3;
const COLON = 4;
const COMMA = 5;
const STRING = 6;
const DIGIT = 7;

/** What each byte means outside of strings. */
const MEANINGS = new Uint8Array(256);
for (const [meaning, characters] of [
  [SPACE, ' \t\n\r'],
  [OPENING, '[{'],
  [CLOSING, ']}'],
  [COLON, ':'],
  [COMMA, ','],
  [STRING, '"'],
  [DIGIT, '-0123456789'],
] as const)
  for (const byte of new TextEncoder().encode(characters)) MEANINGS[byte] = meaning;

/** The index of the next quote or backslash, or the length. */
function findMark(bytes: Uint8Array, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE && bytes[index] !== BACKSLASH) index += 1;
  return index;
}

/**
 * Counts the values, keys and levels of a JSON text without building any of them. It does not check the text: what comes after
 * the first error in it may be counted wrongly, and is never parsed.
 */
export function createJsonScan({ depth: mostDepth, values: mostValues }: JsonLimits): JsonScan {
  const mostCost = mostValues * COST_OF_OTHERS;
  let cost = 0;
  let depth = 0;
  let inString = false;
  /** How much of `\ud` has been read: 0 to 3 characters. */
  let escaping = 0;
  let surrogates = false;
  /** Inside a number, or a word such as true. */
  let inWord = false;
  /** Bytes of the pieces before. */
  let before = 0;
  let stringStart = 0;
  let stringEnd = 0;

  const add = (more: number) => {
    cost += more;
    if (cost > mostCost) throw bodyTooManyValues(mostValues);
  };

  const lookInEscape = (byte: number) => {
    if (escaping === 1) escaping = byte === LETTER_U ? 2 : 0;
    else if (escaping === 2) escaping = (byte | LOWER_CASE) === LETTER_D ? 3 : 0;
    else {
      // \ud8 to \udf begin the halves of surrogate pairs.
      surrogates ||= byte >= DIGIT_8;
      escaping = 0;
    }
  };

  /** Returns the index of the string's end, or the length of the piece. */
  const lookInString = (bytes: Uint8Array, start: number): number => {
    let index = start;
    while (index < bytes.length) {
      if (escaping === 0) index = findMark(bytes, index);
      const byte = bytes[index];
      if (byte === undefined) break;
      if (escaping !== 0) lookInEscape(byte);
      else if (byte === BACKSLASH) escaping = 1;
      else {
        inString = false;
        stringEnd = before + index;
        break;
      }
      index += 1;
    }
    return index;
  };

  const lookOutside = (byte: number, position: number) => {
    const meaning = MEANINGS[byte];
    const wasInWord = inWord;
    inWord = meaning === ORDINARY || meaning === DIGIT;
    switch (meaning) {
      case STRING:
        add(COST_OF_OTHERS);
        inString = true;
        stringStart = position + 1;
        return;
      case OPENING:
        add(COST_OF_OTHERS);
        depth += 1;
        if (depth > mostDepth) throw bodyTooDeep(mostDepth);
        return;
      case CLOSING:
        depth -= 1;
        return;
      case COLON:
        if (stringEnd - stringStart > LONGEST_KEY_BYTES) throw bodyKeyTooLong(LONGEST_KEY_BYTES);
        return;
      case DIGIT:
        if (!wasInWord) add(COST_OF_NUMBER);
        return;
      case ORDINARY:
        if (!wasInWord) add(COST_OF_OTHERS);
    }
  };

  return {
    look(bytes) {
      for (let index = 0; index < bytes.length; index++) {
        if (inString) index = lookInString(bytes, index);
        else lookOutside(bytes[index] as number, before + index);
      }
      before += bytes.length;
    },
    escapesSurrogates: () => surrogates,
  };
}
