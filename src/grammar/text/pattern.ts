import { type Range, UNICODE, without } from '../gbnf/ranges.ts';
import { readClass, readEscape, type Source } from './pattern-class.ts';
import { anyText, type TextTree } from './text-tree.ts';

/** Most repetitions in a quantifier. */
const MAX_COUNT = 1000;
/** Most groups inside one another. */
const MAX_DEPTH = 32;

/** Most characters of `(?<name>`. */
const MAX_OPENING = 64;

const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/**
 * Reads an ECMAScript regular expression with the flag `u`. Returns the texts in which it finds a match: a choice of
 * its alternatives, each with any text before and behind it unless it is anchored there. Throws the error of `fail` for
 * parts that depend on earlier text: back references, look-behinds, `\b`.
 */
export function readPattern(pattern: string, fail: (reason: string) => Error): TextTree {
  return readAlternatives(pattern, fail, withoutAnchors);
}

/**
 * Reads a regular expression as `readPattern` does. Returns the texts that match it as a whole. Anchors at the ends of
 * an alternative have no effect.
 */
export function readWholePattern(pattern: string, fail: (reason: string) => Error): TextTree {
  return readAlternatives(pattern, fail, (items) => ({ kind: 'sequence', items: splitAnchors(items).middle }));
}

/** Puts any text in the place of the anchors that an alternative of the whole pattern does not have. */
function withoutAnchors(items: TextTree[]): TextTree {
  const { atStart, atEnd, middle } = splitAnchors(items);
  return { kind: 'sequence', items: [...(atStart ? [] : [anyText]), ...middle, ...(atEnd ? [] : [anyText])] };
}

function splitAnchors(items: TextTree[]): { atStart: boolean; atEnd: boolean; middle: TextTree[] } {
  const atStart = items[0]?.kind === 'start';
  const atEnd = items.at(-1)?.kind === 'end';
  return { atStart, atEnd, middle: items.slice(atStart ? 1 : 0, atEnd ? -1 : undefined) };
}

function readAlternatives(
  pattern: string,
  fail: (reason: string) => Error,
  toTree: (items: TextTree[]) => TextTree,
): TextTree {
  try {
    new RegExp(pattern, 'u');
  } catch {
    throw fail('is not a valid regular expression');
  }
  const source: Source = { characters: [...pattern], position: 0, fail };
  return { kind: 'choice', options: readOptions(source, 0).map(toTree) };
}

function unsupported({ characters, position, fail }: Source): Error {
  return fail(`has '${characters.slice(position, position + 3).join('')}', which is not supported`);
}

function readOptions(source: Source, depth: number): TextTree[][] {
  if (depth > MAX_DEPTH) throw source.fail(`has groups more than ${MAX_DEPTH} deep`);
  const options = [readItems(source, depth)];
  while (source.characters[source.position] === '|') {
    source.position++;
    options.push(readItems(source, depth));
  }
  return options;
}

function readItems(source: Source, depth: number): TextTree[] {
  const items: TextTree[] = [];
  for (;;) {
    const next = source.characters[source.position];
    if (next === undefined || next === '|' || next === ')') return items;
    items.push(readQuantified(source, depth));
  }
}

function readQuantified(source: Source, depth: number): TextTree {
  const item = readAtom(source, depth);
  const before = source.position;
  const [min, max] = readCount(source);
  // Skips the mark of a lazy quantifier: it finds the same texts.
  if (source.position > before && source.characters[source.position] === '?') source.position++;
  return min === 1 && max === 1 ? item : { kind: 'repeat', item, min, max };
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

function readAtom(source: Source, depth: number): TextTree {
  const character = source.characters[source.position] ?? '';
  if (character === '(') return readGroup(source, depth);
  source.position++;
  if (character === '^') return { kind: 'start' };
  if (character === '$') return { kind: 'end' };
  if (character === '.') return { kind: 'characters', ranges: without(UNICODE, LINE_ENDS) };
  if (character === '[') return { kind: 'characters', ranges: readClass(source) };
  if (character === '\\') return { kind: 'characters', ranges: readEscape(source) };
  const codePoint = character.codePointAt(0) ?? 0;
  return { kind: 'characters', ranges: [[codePoint, codePoint]] };
}

/** Reads a group: `(`, `(?:`, `(?<name>`, and `(?=` or `(?!` which look ahead. */
function readGroup(source: Source, depth: number): TextTree {
  const [opening = '', kind = ''] =
    source.characters
      .slice(source.position, source.position + MAX_OPENING)
      .join('')
      .match(/^\((?:\?([:=!]|<[^=!>][^>]*>))?/u) ?? [];
  const isPlain = opening === '(' && source.characters[source.position + 1] !== '?';
  if (opening === '(' && !isPlain) throw unsupported(source);
  source.position += [...opening].length;
  const options = readOptions(source, depth + 1).map((items): TextTree => ({ kind: 'sequence', items }));
  source.position++;
  const item: TextTree = { kind: 'choice', options };
  return kind === '=' || kind === '!' ? { kind: 'look', item, negative: kind === '!' } : item;
}
