import type { Expression } from './expression.ts';
import type { Range } from './ranges.ts';

/** Writes an expression in GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return quoted(expression.text);
    case 'class':
      return `[${expression.ranges.map(rangeText).join('')}]`;
    case 'rule':
      return expression.name;
    case 'sequence':
      return expression.items.length === 0 ? '""' : expression.items.map(itemText).join(' ');
    case 'choice':
      return expression.options.map(expressionText).join(' | ');
    case 'repeat':
      return atomText(expression.item) + countText(expression.min, expression.max);
  }
}

function itemText(item: Expression): string {
  return item.kind === 'choice' ? `(${expressionText(item)})` : expressionText(item);
}

function atomText(item: Expression): string {
  const isAtom = item.kind === 'literal' || item.kind === 'class' || item.kind === 'rule';
  return isAtom ? expressionText(item) : `(${expressionText(item)})`;
}

function countText(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) {
    if (min === 0) return '*';
    return min === 1 ? '+' : `{${min},}`;
  }
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function quoted(text: string): string {
  const characters = Array.from(text, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return character < ' ' || character === '\x7f' ? escaped(character.codePointAt(0) ?? 0) : character;
  });
  return `"${characters.join('')}"`;
}

function rangeText([from, to]: Range): string {
  if (from === to) return classCharacter(from);
  return `${classCharacter(from)}-${classCharacter(to)}`;
}

/** Escapes all but letters and digits, since `^`, `-` and brackets have a meaning inside a class. */
function classCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[0-9A-Za-z]$/.test(character) ? character : escaped(codePoint);
}

function escaped(codePoint: number): string {
  const hex = (length: number) => codePoint.toString(16).toUpperCase().padStart(length, '0');
  if (codePoint <= 0xff) return `\\x${hex(2)}`;
  return codePoint <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
