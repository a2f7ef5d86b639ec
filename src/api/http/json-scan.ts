import { createStringScan } from './json-string-scan.ts';
import { bodyKeyTooLong, bodyTooDeep, bodyTooManyValues } from './refusals.ts';

/** The limits of a JSON body. */
export interface JsonLimits {
  /** The most levels of objects and lists within one another. */
  depth: number;
  /**
   * The most values and keys together. Four numbers count as one value, because the parser makes them so much faster.
   */
  values: number;
}

/**
 * Enough for agents: their tools' schemas are up to 20 objects deep, and a conversation of 1,000 turns with 100 tools
 * has some 30,000 values. No body within these limits keeps other requests waiting for 100 ms
 * (benchmarks/hostile-bodies.ts).
 */
export const JSON_LIMITS: JsonLimits = { depth: 128, values: 50_000 };

/**
 * The parser hashes and compares each key, so bodies with longer keys would take longer than all else within the
 * limits.
 */
const LONGEST_KEY_BYTES = 256;

const COST_OF_NUMBER = 1;
const COST_OF_OTHERS = 4;

/** Looks at the bytes of a JSON text, piece by piece as they arrive, before the text is parsed. */
export interface JsonScan {
  /**
   * Counts the values in a piece. The time grows with the length of the piece alone. Throws a 400 `ApiError` at a
   * limit.
   */
  look(bytes: Uint8Array): void;
  /** True if the text so far escapes half of a surrogate pair, as in `\ud83d`. The other half may be missing. */
  escapesSurrogates(): boolean;
}

const ORDINARY = 0;
const SPACE = 1;
const OPENING = 2;
const CLOSING = 3;
const COLON = 4;
const COMMA = 5;
const STRING = 6;
const DIGIT = 7;

/** The meaning of each byte outside of strings. */
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

/**
 * Counts the values, keys and levels of a JSON text without building any of them. It does not check the text: after the
 * first syntax error the counts may be wrong, and the parser stops there.
 */
export function createJsonScan(limits: JsonLimits = JSON_LIMITS): JsonScan {
  const strings = createStringScan();
  const count = createCount(limits);
  let inString = false;
  /** Inside a number, or a word such as true. */
  let inWord = false;
  /** The number of bytes in the pieces before this one. */
  let before = 0;
  let stringStart = 0;
  let stringEnd = 0;

  const lookOutside = (byte: number, position: number) => {
    const meaning = MEANINGS[byte];
    const wasInWord = inWord;
    inWord = meaning === ORDINARY || meaning === DIGIT;
    if (meaning === STRING) {
      count.value(COST_OF_OTHERS);
      inString = true;
      stringStart = position + 1;
    } else if (meaning === OPENING) count.open();
    else if (meaning === CLOSING) count.close();
    else if (meaning === COLON) checkKey(stringEnd - stringStart);
    else if (inWord && !wasInWord) count.value(meaning === DIGIT ? COST_OF_NUMBER : COST_OF_OTHERS);
  };

  return {
    look(bytes) {
      for (let index = 0; index < bytes.length; index++) {
        if (inString) {
          index = strings.findEnd(bytes, index);
          inString = index === bytes.length;
          stringEnd = before + index;
        } else lookOutside(bytes[index] as number, before + index);
      }
      before += bytes.length;
    },
    escapesSurrogates: strings.escapesSurrogates,
  };
}

/** Counts values and levels. Each function throws a 400 `ApiError` at a limit. */
function createCount({ depth: mostDepth, values: mostValues }: JsonLimits) {
  const mostCost = mostValues * COST_OF_OTHERS;
  let cost = 0;
  let depth = 0;

  const value = (more: number) => {
    cost += more;
    if (cost > mostCost) throw bodyTooManyValues(mostValues);
  };
  return {
    value,
    open() {
      value(COST_OF_OTHERS);
      depth += 1;
      if (depth > mostDepth) throw bodyTooDeep(mostDepth);
    },
    close() {
      depth -= 1;
    },
  };
}

function checkKey(lengthBytes: number): void {
  if (lengthBytes > LONGEST_KEY_BYTES) throw bodyKeyTooLong(LONGEST_KEY_BYTES);
}
