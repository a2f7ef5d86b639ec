import { expressionText } from './expression-text.ts';

/** Code points from the first to the last one, both included. */
export type Range = readonly [from: number, to: number];

/** The right side of a grammar rule. A choice of nothing matches nothing, a sequence of nothing the empty text. */
export type Expression =
  | { kind: 'literal'; text: string }
  | { kind: 'class'; ranges: readonly Range[] }
  | { kind: 'rule'; name: string }
  | { kind: 'sequence'; items: readonly Expression[] }
  | { kind: 'choice'; options: readonly Expression[] }
  | { kind: 'repeat'; item: Expression; min: number; max: number };

/** Deepest nesting of choices that `choice` makes itself. */
const MAX_DEPTH = 100;

/** Matches no text at all. */
export const never: Expression = { kind: 'choice', options: [] };

/** Matches the empty text. */
export const empty: Expression = { kind: 'sequence', items: [] };

export function isNever(expression: Expression): boolean {
  return expression.kind === 'choice' && expression.options.length === 0;
}

export function isEmpty(expression: Expression): boolean {
  return expression.kind === 'sequence' && expression.items.length === 0;
}

/** Exactly this text, which must be well-formed Unicode. */
export function literal(text: string): Expression {
  return text === '' ? empty : { kind: 'literal', text };
}

/** One character out of some ranges. */
export function oneOf(...some: Range[]): Expression {
  const ranges = mergeRanges(some);
  const [only] = ranges;
  if (!only) return never;
  return ranges.length === 1 && only[0] === only[1]
    ? literal(String.fromCodePoint(only[0]))
    : { kind: 'class', ranges };
}

/** The same code points in order, in as few ranges as possible. */
export function mergeRanges(some: readonly Range[]): Range[] {
  const ranges: Range[] = [];
  for (const [from, to] of some.toSorted(([from], [otherFrom]) => from - otherFrom)) {
    const last = ranges.at(-1);
    if (last && from <= last[1] + 1) ranges[ranges.length - 1] = [last[0], Math.max(last[1], to)];
    else ranges.push([from, to]);
  }
  return ranges;
}

/** One after the other. */
export function sequence(...parts: Expression[]): Expression {
  return sequenceOf(parts);
}

/** The same for a list of parts, which may be long. */
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

/** The same thing `min` to `max` times. */
export function repeat(item: Expression, min: number, max: number): Expression {
  if (isNever(item)) return min === 0 ? empty : never;
  if (min > max) return never;
  if (max === 0 || isEmpty(item)) return empty;
  return min === 1 && max === 1 ? item : { kind: 'repeat', item, min, max };
}

export function optional(item: Expression): Expression {
  return repeat(item, 0, 1);
}

/**
 * One of several. What options have in common at their beginning is written once, so that as few of them as possible
 * stay open while text is matched.
 */
export function choice(options: Expression[]): Expression {
  return factor(options.flatMap(alternatives).map(units), 0, 0);
}

/** The options that an expression is a choice of; an optional thing is a choice of it and the empty text. */
function alternatives(expression: Expression): Expression[] {
  if (expression.kind === 'choice') return expression.options.flatMap(alternatives);
  if (expression.kind === 'repeat' && expression.min === 0 && expression.max === 1) {
    return [...alternatives(expression.item), empty];
  }
  return [expression];
}

/** A part of an option that is compared as a whole: a character of a literal, or anything else. */
interface Unit {
  key: string;
  expression: Expression;
}

function units(expression: Expression): Unit[] {
  const items = expression.kind === 'sequence' ? expression.items : [expression];
  return items.flatMap((item) => {
    const parts = item.kind === 'literal' ? Array.from(item.text, literal) : [item];
    return parts.map((part) => ({
      key: part.kind === 'literal' ? `"${part.text}` : expressionText(part),
      expression: part,
    }));
  });
}

/** A choice of options of which the units before `from` are written already, `depth` choices deep. */
function factor(options: Unit[][], from: number, depth: number): Expression {
  const groups = new Map<string, Unit[][]>();
  for (const option of options) {
    const first = option[from];
    const key = first && depth > MAX_DEPTH ? `${groups.size}` : (first?.key ?? '');
    const group = groups.get(key);
    if (group) group.push(option);
    else groups.set(key, [option]);
  }
  const matchesEmpty = groups.delete('');
  const factored = Array.from(groups.values(), (group) => factorGroup(group, from, depth));
  const [only] = factored;
  const whole: Expression = factored.length === 1 && only ? only : { kind: 'choice', options: factored };
  return matchesEmpty ? optional(whole) : whole;
}

/** One expression for options that all go on with the same unit. */
function factorGroup(group: Unit[][], from: number, depth: number): Expression {
  const [first = [], ...others] = group;
  const isShared = (index: number) => others.every((other) => other[index]?.key === first[index]?.key);
  let end = others.length === 0 ? first.length : from + 1;
  while (end < first.length && isShared(end)) end++;
  const shared = first.slice(from, end).map(({ expression }) => expression);
  return others.length === 0 ? sequenceOf(shared) : sequenceOf([...shared, factor(group, end, depth + 1)]);
}
