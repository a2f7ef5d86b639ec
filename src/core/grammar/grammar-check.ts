import type { Expression } from './expression.ts';
import { createBeginnings, type Fail } from './grammar-beginnings.ts';
import { checkOpen } from './grammar-open.ts';
import type { Rule } from './rules.ts';
import { settle } from './settle.ts';

/** llama.cpp takes a repetition of a part only while the part's rules times the repetitions are less. */
const MAX_REPEATED_RULES = 2000;

/** Throws where rules can't be matched: without an end, beginning with themselves, or open in too many ways. */
export function checkGrammar(rules: ReadonlyMap<string, Rule>, fail: Fail): void {
  for (const { body, path } of rules.values()) {
    if (!isRepeatable(body)) throw fail(path, 'repeats something large too often');
  }
  checkEnds(rules, fail);
  const begin = createBeginnings(rules, fail);
  // From the end, where rules are that need few others: then none is looked into very deep.
  for (const [name, { path }] of [...rules].reverse()) begin({ kind: 'rule', name }, path);
  checkOpen(rules, (expression) => begin(expression, '#'), fail);
}

function isRepeatable(expression: Expression): boolean {
  if (expression.kind === 'sequence') return expression.items.every(isRepeatable);
  if (expression.kind === 'choice') return expression.options.every(isRepeatable);
  if (expression.kind !== 'repeat') return true;
  const { item, min, max } = expression;
  const times = Number.isFinite(max) ? max : Math.max(min, 1);
  return Math.max(1, nestedRules(item)) * times < MAX_REPEATED_RULES && isRepeatable(item);
}

/** Number of rules that llama.cpp makes of an expression in brackets: for brackets and for each optional repetition. */
function nestedRules(expression: Expression): number {
  switch (expression.kind) {
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + nestedRules(item), 1);
    case 'choice':
      return expression.options.reduce((sum, option) => sum + nestedRules(option), 1);
    case 'repeat': {
      const { item, min, max } = expression;
      return nestedRules(item) + 1 + (Number.isFinite(max) ? max - min : 1);
    }
    default:
      return 0;
  }
}

/** A rule whose every way leads to itself again would never come to an end. */
function checkEnds(rules: ReadonlyMap<string, Rule>, fail: Fail): void {
  const ending = new Set<string>();
  const ends = (expression: Expression): boolean => {
    if (expression.kind === 'rule') return ending.has(expression.name);
    if (expression.kind === 'sequence') return expression.items.every(ends);
    if (expression.kind === 'choice') return expression.options.some(ends);
    return expression.kind !== 'repeat' || expression.min === 0 || ends(expression.item);
  };
  settle(rules, (name, { body }) => {
    if (ending.has(name) || !ends(body)) return false;
    ending.add(name);
    return true;
  });
  for (const [name, { path }] of rules) {
    if (!ending.has(name)) throw fail(path, 'has no value that the grammar could write');
  }
}
