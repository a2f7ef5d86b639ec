import { mergeRanges, type Range, UNICODE, without } from '../gbnf/ranges.ts';

/** A regular expression that is being read. It is valid with the flag `u`. */
export interface Source {
  /** Its characters, one code point each. */
  characters: string[];
  position: number;
  /** Makes the error for a reason. */
  fail(reason: string): Error;
}

const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];

/** White space and line ends, as `\s` means them: https://tc39.es/ecma262/#sec-runtime-semantics-compiletocharset. */
const SPACE: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

const SETS = new Map<string, readonly Range[]>([
  ['d', DIGITS],
  ['D', without(UNICODE, DIGITS)],
  ['w', WORD],
  ['W', without(UNICODE, WORD)],
  ['s', SPACE],
  ['S', without(UNICODE, SPACE)],
]);

const CONTROLS = new Map<string, number>([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);

/** Unicode properties that patterns have asked for: to find their characters takes some ms. */
const PROPERTIES = new Map<string, readonly Range[]>();
const MAX_PROPERTIES = 32;
const BLOCK = 4096;

/**
 * Reads an escape from behind its backslash, inside or outside a class. Throws the error of `source.fail` for an escape
 * that is not supported, and for half of a surrogate pair.
 */
export function readEscape(source: Source): readonly Range[] {
  const letter = source.characters[source.position++] ?? '';
  const set = SETS.get(letter) ?? readProperty(source, letter);
  if (set) return set;
  const codePoint = CONTROLS.get(letter) ?? readHex(source, letter) ?? punctuation(letter);
  if (codePoint === undefined) throw source.fail(`has '\\${letter}', which is not supported`);
  return [[codePoint, codePoint]];
}

/** Reads the name of `\p{L}` or `\P{L}`. Returns undefined for another escape. */
function readProperty(source: Source, letter: string): readonly Range[] | undefined {
  if (letter !== 'p' && letter !== 'P') return undefined;
  const close = source.characters.indexOf('}', source.position);
  const name = source.characters.slice(source.position, close + 1).join('');
  source.position = close + 1;
  const ranges = charactersOf(`\\p${name}`);
  return letter === 'p' ? ranges : without(UNICODE, ranges);
}

/** Finds the characters of a Unicode property: looks for it in a text of all characters in their order. */
function charactersOf(property: string): readonly Range[] {
  const known = PROPERTIES.get(property);
  if (known) return known;
  const runs = new RegExp(`${property}+`, 'gu');
  const ranges = mergeRanges(
    blocks().flatMap((block) =>
      Array.from(block.matchAll(runs), ([run]): Range => [run.codePointAt(0) ?? 0, lastOf(run)]),
    ),
  );
  if (PROPERTIES.size < MAX_PROPERTIES) PROPERTIES.set(property, ranges);
  return ranges;
}

/** All characters in their order, in blocks: one text of them all takes long to make. */
function blocks(): string[] {
  return UNICODE.flatMap(([from, to]) =>
    Array.from({ length: Math.ceil((to - from + 1) / BLOCK) }, (_, index) => {
      const first = from + index * BLOCK;
      const length = Math.min(BLOCK, to - first + 1);
      return String.fromCodePoint(...Array.from({ length }, (__, offset) => first + offset));
    }),
  );
}

function lastOf(run: string): number {
  const last = run.codePointAt(run.length - 1) ?? 0;
  // The second half of a pair is not the character: it begins one place before.
  return last >= 0xdc00 && last <= 0xdfff ? (run.codePointAt(run.length - 2) ?? 0) : last;
}

/** Reads the digits of `\x41`, `\u0041` or `\u{41}`. Returns undefined for another escape. */
function readHex(source: Source, letter: string): number | undefined {
  const rest = source.characters.slice(source.position, source.position + 12).join('');
  const [whole, long, short] =
    (letter === 'u' && rest.match(/^(?:\{([0-9a-f]+)\}|([0-9a-f]{4}))/i)) ||
    (letter === 'x' && rest.match(/^()([0-9a-f]{2})/i)) ||
    [];
  if (whole === undefined) return undefined;
  source.position += whole.length;
  const codePoint = Number.parseInt(long || short || '', 16);
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) throw source.fail('has half of a surrogate pair');
  return codePoint;
}

/** An escaped character stands for itself, unless it is a letter or a digit. */
function punctuation(letter: string): number | undefined {
  return /^[^0-9A-Za-z]$/u.test(letter) ? letter.codePointAt(0) : undefined;
}

/** Reads a class from behind its opening bracket, up to and including the closing one. Throws as `readEscape` does. */
export function readClass(source: Source): readonly Range[] {
  const { characters } = source;
  const negated = characters[source.position] === '^';
  if (negated) source.position++;
  const ranges: Range[] = [];
  while (characters[source.position] !== ']') {
    const first = readMember(source);
    const from = first[0]?.[0];
    const isRange = characters[source.position] === '-' && characters[source.position + 1] !== ']';
    if (!isRange || from === undefined) {
      ranges.push(...first);
      continue;
    }
    source.position++;
    const to = readMember(source)[0]?.[1] ?? from;
    ranges.push([from, to]);
  }
  source.position++;
  return negated ? without(UNICODE, ranges) : without(UNICODE, without(UNICODE, ranges));
}

function readMember(source: Source): readonly Range[] {
  const character = source.characters[source.position++] ?? '';
  const isBackspace = character === '\\' && source.characters[source.position] === 'b';
  if (isBackspace) {
    source.position++;
    return [[0x08, 0x08]];
  }
  if (character === '\\') return readEscape(source);
  const codePoint = character.codePointAt(0) ?? 0;
  return [[codePoint, codePoint]];
}
