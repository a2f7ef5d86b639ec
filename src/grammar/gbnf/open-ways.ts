import type { Beginning, Fail } from './beginnings.ts';
import type { Expression } from './expression.ts';
import { mergeRanges, overlap, type Range } from './ranges.ts';
import type { GrammarRule } from './rules.ts';
import { settle } from './settle.ts';

/**
 * The most paths through a grammar that may match the same text. llama.cpp tries each open path on each token, and the
 * number multiplies if options with the same beginning are nested.
 */
const MAX_OPEN = 256;

type Repeat = Extract<Expression, { kind: 'repeat' }>;

/**
 * Estimates how many paths through each rule can be open at once, and throws the error of `fail` above the limit. The
 * count of each rule starts at 1 and grows until no count changes. The count of a rule that contains itself, in one of
 * several options with the same beginning, grows up to the limit. `spend` is called with the steps of the work.
 */
export function checkOpenWays(
  rules: ReadonlyMap<string, GrammarRule>,
  begin: (expression: Expression) => Beginning,
  fail: Fail,
  spend: (steps: number) => void,
): void {
  const open = new Map<string, number>(Array.from(rules.keys(), (name) => [name, 1]));
  let ruleLength = 0;

  /** `next` has the characters that may follow the expression. */
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
          behind = mayBeEmpty ? mergeRanges([...ranges, ...behind]) : ranges;
          return Math.max(most, ways);
        }, 1);
      }
    }
  }

  /**
   * If the next character may belong to the item or to the text after the repetition, every place in the rule may be
   * open.
   */
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
    spend(1 + steps(body));
    const ways = count(body, [], exclusive);
    if (ways > MAX_OPEN) {
      throw fail(path, `has parts that begin alike, which leaves more than ${MAX_OPEN} ways open at a time`);
    }
    if (ways <= (open.get(name) ?? 1)) return false;
    open.set(name, ways);
    return true;
  });
}

/** Number of places in an expression that a text may have reached. */
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

/** Number of steps that it takes to count an expression: options are compared with one another. */
function steps(expression: Expression): number {
  if (expression.kind === 'sequence') return expression.items.reduce((sum, item) => sum + steps(item), 1);
  if (expression.kind === 'choice')
    return expression.options.reduce((sum, option) => sum + steps(option), expression.options.length ** 2 / 32);
  return expression.kind === 'repeat' ? steps(expression.item) + 1 : 1;
}

/** True if the expression refers to rules. Rules stand for whole JSON values, whose ends are unambiguous. */
function hasRules(expression: Expression): boolean {
  if (expression.kind === 'sequence') return expression.items.some(hasRules);
  if (expression.kind === 'choice') return expression.options.some(hasRules);
  return expression.kind === 'repeat' ? hasRules(expression.item) : expression.kind === 'rule';
}
