import { mergeRanges, type Range } from './ranges.ts';

/**
 * The right side of a grammar rule. A choice without options matches nothing. A sequence without items matches the
 * empty text.
 */
export type Expression =
  | { kind: 'literal'; text: string }
  | { kind: 'class'; ranges: readonly Range[] }
  | { kind: 'rule'; name: string }
  | { kind: 'sequence'; items: readonly Expression[] }
  | { kind: 'choice'; options: readonly Expression[] }
  | { kind: 'repeat'; item: Expression; min: number; max: number };

/** Matches no text, not even the empty one. */
export const never: Expression = { kind: 'choice', options: [] };

/** Matches the empty text. */
export const empty: Expression = { kind: 'sequence', items: [] };

/** True for an expression of the form of `never`. False does not mean that it matches a text: a rule may have none. */
export function isNever(expression: Expression): boolean {
  return expression.kind === 'choice' && expression.options.length === 0;
}

/** True for an expression of the form of `empty`. False does not mean that the empty text does not match. */
export function isEmpty(expression: Expression): boolean {
  return expression.kind === 'sequence' && expression.items.length === 0;
}

/** Matches exactly this text. The text must be well-formed Unicode. */
export function literal(text: string): Expression {
  return text === '' ? empty : { kind: 'literal', text };
}

/** Matches one character of the given ranges. */
export function oneCharacterOf(...some: Range[]): Expression {
  const ranges = mergeRanges(some);
  const [only] = ranges;
  if (!only) return never;
  return ranges.length === 1 && only[0] === only[1]
    ? literal(String.fromCodePoint(only[0]))
    : { kind: 'class', ranges };
}

/** Matches the parts one after another. */
export function sequence(...parts: Expression[]): Expression {
  return sequenceOf(parts);
}

/** Like `sequence`, for a list: a long list does not fit into function arguments. */
export function sequenceOf(parts: readonly Expression[]): Expression {
  if (parts.some(isNever)) return never;
  const items: Expression[] = [];
  for (const part of parts.flatMap((part) => (part.kind === 'sequence' ? part.items : [part]))) {
    const last = items.at(-1);
    if (part.kind === 'literal' && last?.kind === 'literal') {
      items[items.length - 1] = { kind: 'literal', text: last.text + part.text };
    } else {
      items.push(part);
    }
  }
  const [only] = items;
  return items.length === 1 && only ? only : { kind: 'sequence', items };
}

/** Matches the item `min` to `max` times. `max` may be infinite. */
export function repeat(item: Expression, min: number, max: number): Expression {
  if (isNever(item)) return min === 0 ? empty : never;
  if (min > max) return never;
  if (max === 0 || isEmpty(item)) return empty;
  return min === 1 && max === 1 ? item : { kind: 'repeat', item, min, max };
}

/** Matches what `item` matches, and the empty text. */
export function optional(item: Expression): Expression {
  return repeat(item, 0, 1);
}
