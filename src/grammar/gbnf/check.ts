import { createBeginnings, type Fail } from './beginnings.ts';
import type { Expression } from './expression.ts';
import { checkOpenWays } from './open-ways.ts';
import type { GrammarRule } from './rules.ts';
import { settle } from './settle.ts';

/** llama.cpp refuses a repetition if the item's rules times the number of repetitions reach this limit. */
const MAX_REPEATED_RULES = 2000;

/**
 * Throws the error of `fail` for rules that llama.cpp refuses, or on which it would compute for too long: rules that
 * repeat too often, never end, begin with themselves, or leave too many alternatives open. `spend` is called with the
 * steps of the work, and may throw `TooComplex`.
 */
export function checkGrammar(
  rules: ReadonlyMap<string, GrammarRule>,
  fail: Fail,
  spend: (steps: number) => void = () => {},
): void {
  for (const { body, path } of rules.values()) {
    if (!isRepeatable(body)) throw fail(path, 'repeats something large too often');
  }
  checkEnds(rules, fail);
  const begin = createBeginnings(rules, fail);
  // Starts at the end: the rules there refer to few others, which keeps the recursion shallow.
  for (const [name, { path }] of [...rules].reverse()) begin({ kind: 'rule', name }, path);
  checkOpenWays(rules, (expression) => begin(expression, '#'), fail, spend);
}

/** True if llama.cpp could run a rule of this expression, which refers to no other rule. */
export function isRunnable(body: Expression): boolean {
  const refusal = new Error('not runnable');
  try {
    checkGrammar(new Map([['text', { body, exclusive: false, path: '' }]]), () => refusal);
    return true;
  } catch (error) {
    if (error !== refusal) throw error;
    return false;
  }
}

function isRepeatable(expression: Expression): boolean {
  if (expression.kind === 'sequence') return expression.items.every(isRepeatable);
  if (expression.kind === 'choice') return expression.options.every(isRepeatable);
  if (expression.kind !== 'repeat') return true;
  const { item, min, max } = expression;
  const times = Number.isFinite(max) ? max : Math.max(min, 1);
  return Math.max(1, nestedRules(item)) * times < MAX_REPEATED_RULES && isRepeatable(item);
}

/** Number of extra rules that llama.cpp makes of an expression: one per bracket and one per optional repetition. */
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

/** Throws for a rule that has no finite text because every way through it leads back to itself. */
function checkEnds(rules: ReadonlyMap<string, GrammarRule>, fail: Fail): void {
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
