import {
  choice,
  type Expression,
  literal,
  never,
  oneOf,
  optional,
  type Range,
  repeat,
  sequence,
} from './expression.ts';
import { isRecord } from './json-schema.ts';
import type { Rules } from './rules.ts';

/** All of Unicode but the surrogates, which are no characters. */
export const UNICODE: readonly Range[] = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];

/** Characters that stand for themselves in a JSON string: https://www.rfc-editor.org/rfc/rfc8259#section-7. */
const PLAIN: readonly Range[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10ffff],
];

/**
 * Letters of the escapes, by code point. Every character has one spelling only, the one of `JSON.stringify`: so a
 * text is known not to be another, and its length is known. Without `\u`, the other control characters can't occur.
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

/** Between a name and its value. One space or none: a random model would go on with spaces for long. */
export const COLON = sequence(literal(':'), optional(literal(' ')));

/** Between two items or members. */
export const COMMA = sequence(literal(','), optional(literal(' ')));

export const QUOTE = literal('"');

/** One character inside a JSON string, out of those in the given ranges that can occur there. */
export function jsonCharacter(ranges: readonly Range[]): Expression {
  const escapes = Array.from(ESCAPES, ([codePoint, letter]) => (contains(ranges, codePoint) ? letter : ''));
  const letters = escapes.filter((letter) => letter !== '').map((letter): Range => [at(letter), at(letter)]);
  return choice([oneOf(...intersection(ranges, PLAIN)), sequence(literal('\\'), oneOf(...letters))]);
}

/** Any character inside a JSON string. */
export function anyCharacter(rules: Rules): Expression {
  return rules.define('char', 'char', '#', () => jsonCharacter(UNICODE));
}

/** A JSON value as text, with the same freedom in spaces as everything else. */
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

/** The rest of any string after its opening quote but of those given, to the closing quote. */
export function otherStrings(rules: Rules, excluded: string[]): Expression {
  const root = createNode();
  for (const text of excluded) {
    let node = root;
    for (const character of text) {
      const next = node.next.get(character) ?? createNode();
      node.next.set(character, next);
      node = next;
    }
    node.isEnd = true;
  }
  const rest = sequence(repeat(anyCharacter(rules), 0, Number.POSITIVE_INFINITY), QUOTE);
  return excluded.length === 0 ? rest : otherThan(root, rest);
}

/** Texts that begin alike, by their characters. */
interface Node {
  next: Map<string, Node>;
  isEnd: boolean;
}

function createNode(): Node {
  return { next: new Map(), isEnd: false };
}

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

function contains(ranges: readonly Range[], codePoint: number): boolean {
  return ranges.some(([from, to]) => from <= codePoint && codePoint <= to);
}

function complement(codePoints: number[]): Range[] {
  return without(
    UNICODE,
    codePoints.map((codePoint): Range => [codePoint, codePoint]),
  );
}

/** What is in both of two lists of ranges. */
export function intersection(some: readonly Range[], others: readonly Range[]): Range[] {
  return some.flatMap(([from, to]) =>
    others.flatMap(([otherFrom, otherTo]): Range[] => {
      const [first, last] = [Math.max(from, otherFrom), Math.min(to, otherTo)];
      return first <= last ? [[first, last]] : [];
    }),
  );
}

/** What is in the first list of ranges and not in the second one. */
export function without(some: readonly Range[], others: readonly Range[]): Range[] {
  let left = [...some];
  for (const [from, to] of others)
    left = [...intersection(left, [[0, from - 1]]), ...intersection(left, [[to + 1, 0x10ffff]])];
  return left.sort(([a], [b]) => a - b);
}
