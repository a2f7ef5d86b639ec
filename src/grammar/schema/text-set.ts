import { unlessTooComplex } from '../budget.ts';
import type { Expression } from '../gbnf/expression.ts';
import { automatonExpression, toAutomaton } from '../text/automaton.ts';
import type { Term, Terms } from '../text/terms.ts';
import type { SchemaCompiler } from './context.ts';

/**
 * Matches the texts of a term and `close` behind them. Equal keys stand for equal terms. Returns undefined if the term
 * takes too many states or too much work.
 */
export function textSet(
  { terms, rules, budget }: SchemaCompiler,
  key: string,
  path: string,
  close: Expression,
  make: (terms: Terms) => Term,
): Expression | undefined {
  budget.beginPart();
  const automaton = unlessTooComplex(() => toAutomaton(terms, make(terms), budget.spend));
  return automaton && automatonExpression(automaton, close, rules, key, path);
}
