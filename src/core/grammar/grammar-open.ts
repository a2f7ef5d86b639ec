import type { Expression, Range } from './expression.ts';
import type { Beginning, Fail } from './grammar-beginnings.ts';
import type { Rule } from './rules.ts';
import { settle } from './settle.ts';

/**
 * Most ways to match a text that may stay open side by side. llama.cpp tries each of them on each token, and where
 * options that begin alike are nested, their numbers multiply.
 */
const MAX_OPEN = 256;

type Repeat = Extract<Expression, { kind: 'repeat' }>;

/**
 * Counts the ways through each rule that may be open at once, from one up until nothing changes. Where a rule that
 * holds itself is one of several that begin alike, they become more each time.
 */
export function checkOpen(
  rules: ReadonlyMap<string, Rule>,
  begin: (expression: Expression) => Beginning,
  fail: Fail,
): void {
  const open = new Map<string, number>(Array.from(rules.keys(), (name) => [name, 1]));
  let ruleLength = 0;

  /** `next` is what may come after the expression. */
  function count(expression: Expression, next: readonly Range[], exclusive: boolean): number {
    switch (expression.kind) {
      case 'literal':
      case 'class':
        return 1;
      case 'rule':
        return open.get(expression.name) ?? 1;
      case 'choice':
        return choiceCount(expression.options, next, exclusive);
      case 'repeat':
        return repeatCount(expression, next, exclusive);
      case 'sequence': {
        let behind = next;
        return expression.items.reduceRight((most, item) => {
          const ways = count(item, behind, exclusive);
          const { ranges, mayBeEmpty } = begin(item);
          behind = mayBeEmpty ? [...ranges, ...behind] : ranges;
          return Math.max(most, ways);
        }, 1);
      }
    }
  }

  /** Where it isn't clear after how many times the next thing comes, any place up to the end may be the right one. */
  function repeatCount(expression: Repeat, next: readonly Range[], exclusive: boolean): number {
    const { item, min, max } = expression;
    const { ranges } = begin(item);
    const ways = count(item, max > 1 ? [...next, ...ranges] : next, exclusive);
    if (exclusive) return ways;
    if (min !== max && overlap(ranges, next)) return ways + ruleLength;
    return ways > 1 && max > 1 && !hasRules(item) ? ways + places(expression) : ways;
  }

  function choiceCount(options: readonly Expression[], next: readonly Range[], exclusive: boolean): number {
    const beginnings = options.map((option) => begin(option).ranges);
    const counts = options.map((option) => count(option, next, exclusive));
    if (exclusive) return Math.max(...counts);
    return beginnings.reduce((most, ranges, index) => {
      const together = counts.filter((_, other) => other === index || overlap(ranges, beginnings[other] ?? []));
      return Math.max(
        most,
        together.reduce((sum, ways) => sum + ways, 0),
      );
    }, 1);
  }

  settle(rules, (name, { body, exclusive, path }) => {
    ruleLength = places(body);
    const ways = count(body, [], exclusive);
    if (ways > MAX_OPEN) {
      throw fail(path, `has parts that begin alike, which leaves more than ${MAX_OPEN} ways open at a time`);
    }
    if (ways <= (open.get(name) ?? 1)) return false;
    open.set(name, ways);
    return true;
  });
}

function overlap(some: readonly Range[], others: readonly Range[]): boolean {
  return some.some(([from, to]) => others.some(([otherFrom, otherTo]) => from <= otherTo && otherFrom <= to));
}

/** Number of places in an expression where a text may be so far. */
function places(expression: Expression): number {
  switch (expression.kind) {
    case 'literal':
      return expression.text.length;
    case 'class':
    case 'rule':
      return 1;
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + places(item), 0);
    case 'choice':
      return expression.options.reduce((sum, option) => sum + places(option), 0);
    case 'repeat':
      return places(expression.item) * (Number.isFinite(expression.max) ? expression.max : expression.min + 1);
  }
}

/** Whether other rules are part of an expression: those of values, whose ends are clear. */
function hasRules(expression: Expression): boolean {
  if (expression.kind === 'sequence') return expression.items.some(hasRules);
  if (expression.kind === 'choice') return expression.options.some(hasRules);
  return expression.kind === 'repeat' ? hasRules(expression.item) : expression.kind === 'rule';
}
