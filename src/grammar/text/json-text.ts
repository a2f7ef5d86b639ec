import { isRecord } from '../../contract/json-schema.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, literal, never, oneCharacterOf, optional, repeat, sequence } from '../gbnf/expression.ts';
import { contains, intersection, type Range, UNICODE, without } from '../gbnf/ranges.ts';
import type { Rules } from '../gbnf/rules.ts';

/** Characters that a JSON string holds without an escape: https://www.rfc-editor.org/rfc/rfc8259#section-7. */
const PLAIN: readonly Range[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10ffff],
];

/**
 * The letters of the escapes, by code point. Each character has only the spelling of `JSON.stringify`. So different
 * spellings are always different strings, and the length of a string is known. `\u` is left out, which excludes the
 * other control characters.
 */
const ESCAPES = new Map<number, string>([
  [0x22, '"'],
  [0x5c, '\\'],
  [0x08, 'b'],
  [0x0c, 'f'],
  [0x0a, 'n'],
  [0x0d, 'r'],
  [0x09, 't'],
]);

/** Stands between a name and its value. At most one space: a weak model would go on writing spaces. */
export const COLON = sequence(literal(':'), optional(literal(' ')));

/** Stands between two items or members. */
export const COMMA = sequence(literal(','), optional(literal(' ')));

export const QUOTE = literal('"');

/** Matches one character of the ranges as a JSON string spells it. Characters without a spelling are left out. */
export function jsonCharacter(ranges: readonly Range[]): Expression {
  const escapes = Array.from(ESCAPES, ([codePoint, letter]) => (contains(ranges, codePoint) ? letter : ''));
  const letters = escapes.filter((letter) => letter !== '').map((letter): Range => [at(letter), at(letter)]);
  return choice([oneCharacterOf(...intersection(ranges, PLAIN)), sequence(literal('\\'), oneCharacterOf(...letters))]);
}

/** Matches any one character inside a JSON string. */
export function anyCharacter(rules: Rules): Expression {
  return rules.define('char', 'char', '#', () => jsonCharacter(UNICODE));
}

/** Matches exactly this JSON value, with the spaces that `COLON` and `COMMA` allow. */
export function valueText(value: unknown): Expression {
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index) => [...(index === 0 ? [] : [COMMA]), valueText(item)]);
    return sequence(literal('['), ...items, literal(']'));
  }
  if (isRecord(value)) {
    const members = Object.entries(value).flatMap(([name, member], index) => [
      ...(index === 0 ? [] : [COMMA]),
      literal(JSON.stringify(name)),
      COLON,
      valueText(member),
    ]);
    return sequence(literal('{'), ...members, literal('}'));
  }
  return literal(JSON.stringify(value));
}

/** The fewest parts of the grammar that a character of an excluded text takes, counted by `expressionSize`. */
const PARTS_OF_A_NODE = 16;

/**
 * Matches any JSON string but the excluded ones, from behind its opening quote up to the closing one. Throws the error of `rules` if that
 * takes too many parts.
 */
export function otherStrings(rules: Rules, excluded: string[], path: string): Expression {
  const root = createNode();
  let nodes = 0;
  for (const text of excluded) {
    let node = root;
    for (const character of text) {
      const next = node.next.get(character) ?? createNode();
      if (!node.next.has(character)) nodes += 1;
      node.next.set(character, next);
      node = next;
    }
    node.isEnd = true;
    rules.requireRoom(path, nodes * PARTS_OF_A_NODE);
  }
  const rest = sequence(repeat(anyCharacter(rules), 0, Number.POSITIVE_INFINITY), QUOTE);
  return excluded.length === 0 ? rest : otherThan(root, rest);
}

/** A node of the trie of excluded texts. */
interface Node {
  /** The nodes after this one, by character. */
  next: Map<string, Node>;
  /** True if an excluded text ends here. */
  isEnd: boolean;
}

function createNode(): Node {
  return { next: new Map(), isEnd: false };
}

/** Matches every rest of a string that does not lead to the end of an excluded text. */
function otherThan(node: Node, rest: Expression): Expression {
  const taken = Array.from(node.next.keys(), (character) => character.codePointAt(0) ?? 0);
  const onward = Array.from(node.next, ([character, next]) => {
    const codePoint = character.codePointAt(0) ?? 0;
    const writable = jsonCharacter([[codePoint, codePoint]]);
    return sequence(writable, otherThan(next, rest));
  });
  return choice([node.isEnd ? never : QUOTE, sequence(jsonCharacter(complement(taken)), rest), ...onward]);
}

function at(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function complement(codePoints: number[]): Range[] {
  return without(
    UNICODE,
    codePoints.map((codePoint): Range => [codePoint, codePoint]),
  );
}
