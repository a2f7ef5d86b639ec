import { choice } from '../gbnf/choice.ts';
import { type Expression, empty, repeat, sequence } from '../gbnf/expression.ts';
import { type Range, UNICODE, without } from '../gbnf/ranges.ts';
import { jsonCharacter } from './json-text.ts';
import { readClass, readEscape, type Source } from './pattern-class.ts';

/** A set of texts. */
export interface TextLanguage {
  /** Matches the texts as a JSON string spells them. */
  expression: Expression;
  /** Least and greatest length, in code points. */
  min: number;
  max: number;
}

/** Most repetitions in a quantifier. */
const MAX_COUNT = 1000;
/** Most groups inside one another. */
const MAX_DEPTH = 32;

const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/**
 * Reads an ECMAScript regular expression with the flag `u`. Returns the texts in which it finds a match. Supports what
 * describes texts character by character: no assertions but `^` and `$` at the ends, no back references, no Unicode
 * properties. Throws the error of `fail` for anything else.
 */
export function readPattern(pattern: string, fail: (reason: string) => Error): TextLanguage {
  try {
    new RegExp(pattern, 'u');
  } catch {
    throw fail('is not a valid regular expression');
  }
  const source: Source = { characters: [...pattern], position: 0, fail };
  const language = readAlternatives(source, 0);
  if (source.position < source.characters.length) throw unsupported(source);
  return language;
}

function unsupported({ characters, position, fail }: Source): Error {
  // If text follows a `$`, the `$` is what stands in the wrong place.
  const from = characters[position - 1] === '$' ? position - 1 : position;
  return fail(`has '${characters.slice(from, from + 3).join('')}', which is not supported`);
}

function readAlternatives(source: Source, depth: number): TextLanguage {
  if (depth > MAX_DEPTH) throw source.fail(`has groups more than ${MAX_DEPTH} deep`);
  const options = [depth === 0 ? readAnchored(source) : readSequence(source, depth)];
  while (source.characters[source.position] === '|') {
    source.position++;
    options.push(depth === 0 ? readAnchored(source) : readSequence(source, depth));
  }
  return {
    expression: choice(options.map(({ expression }) => expression)),
    min: Math.min(...options.map(({ min }) => min)),
    max: Math.max(...options.map(({ max }) => max)),
  };
}

/** Reads an alternative of the whole pattern. Without anchors, any text may come before and behind the match. */
function readAnchored(source: Source): TextLanguage {
  const atStart = source.characters[source.position] === '^';
  if (atStart) source.position++;
  const middle = readSequence(source, 0);
  const atEnd = source.characters[source.position] === '$';
  if (atEnd) source.position++;
  return joined([...(atStart ? [] : [anything()]), middle, ...(atEnd ? [] : [anything()])]);
}

function anything(): TextLanguage {
  const expression = repeat(jsonCharacter(UNICODE), 0, Number.POSITIVE_INFINITY);
  return { expression, min: 0, max: Number.POSITIVE_INFINITY };
}

function joined(parts: TextLanguage[]): TextLanguage {
  return {
    expression: sequence(...parts.map(({ expression }) => expression)),
    min: parts.reduce((sum, { min }) => sum + min, 0),
    max: parts.reduce((sum, { max }) => sum + max, 0),
  };
}

function readSequence(source: Source, depth: number): TextLanguage {
  const parts: TextLanguage[] = [{ expression: empty, min: 0, max: 0 }];
  for (;;) {
    const next = source.characters[source.position];
    if (next === undefined || next === '|' || next === ')' || next === '$') return joined(parts);
    parts.push(readQuantified(source, depth));
  }
}

function readQuantified(source: Source, depth: number): TextLanguage {
  const item = readAtom(source, depth);
  const [low, high] = readCount(source);
  // Skips the mark of a lazy quantifier: it finds the same texts.
  if ((low !== 1 || high !== 1) && source.characters[source.position] === '?') source.position++;
  // llama.cpp refuses to repeat what may be empty: its rule for the repetition would begin with itself.
  if (item.min === 0 && high > 1) throw source.fail('repeats something that may be empty, which is not supported');
  return {
    expression: repeat(item.expression, low, high),
    min: item.min * low,
    max: item.max === 0 || high === 0 ? 0 : item.max * high,
  };
}

function readCount(source: Source): [number, number] {
  const mark = source.characters[source.position];
  if (mark === '*' || mark === '+' || mark === '?') {
    source.position++;
    return [mark === '+' ? 1 : 0, mark === '?' ? 1 : Number.POSITIVE_INFINITY];
  }
  if (mark !== '{') return [1, 1];
  const text = source.characters.slice(source.position, source.characters.indexOf('}', source.position) + 1).join('');
  source.position += text.length;
  const [low = 0, high = text.includes(',') ? Number.POSITIVE_INFINITY : low] = (text.match(/\d+/g) ?? []).map(Number);
  if (low > MAX_COUNT || (Number.isFinite(high) && high > MAX_COUNT)) {
    throw source.fail(`repeats more than ${MAX_COUNT} times`);
  }
  return [low, high];
}

function readAtom(source: Source, depth: number): TextLanguage {
  const character = source.characters[source.position] ?? '';
  if (character === '(') return readGroup(source, depth);
  // Anchors in the right place are read elsewhere.
  if (character === '^') throw unsupported(source);
  source.position++;
  if (character === '.') return oneCharacter(without(UNICODE, LINE_ENDS));
  if (character === '[') return oneCharacter(readClass(source));
  if (character === '\\') return oneCharacter(readEscape(source));
  const codePoint = character.codePointAt(0) ?? 0;
  return oneCharacter([[codePoint, codePoint]]);
}

function oneCharacter(ranges: readonly Range[]): TextLanguage {
  return { expression: jsonCharacter(ranges), min: 1, max: 1 };
}

function readGroup(source: Source, depth: number): TextLanguage {
  const { characters, position } = source;
  if (characters[position + 1] === '?' && characters[position + 2] !== ':') throw unsupported(source);
  source.position += characters[position + 1] === '?' ? 3 : 1;
  const language = readAlternatives(source, depth + 1);
  if (characters[source.position] !== ')') throw unsupported(source);
  source.position++;
  return language;
}
