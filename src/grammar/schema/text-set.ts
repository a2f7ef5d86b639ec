import { unlessTooComplex } from '../budget.ts';
import type { Expression } from '../gbnf/expression.ts';
import type { Range } from '../gbnf/ranges.ts';
import { automatonExpression, toAutomaton } from '../text/automaton.ts';
import type { TextTerm } from '../text/term.ts';
import type { Terms } from '../text/terms.ts';
import type { SchemaCompiler } from './context.ts';

/**
 * Matches the texts of a term, each followed by `close`; `spell` is that of `automatonExpression`. Equal keys stand for
 * equal terms. Returns undefined if the term takes too many states or steps.
 */
export function textSet(
  { terms, rules, budget }: Pick<SchemaCompiler, 'terms' | 'rules' | 'budget'>,
  key: string,
  path: string,
  close: Expression,
  make: (terms: Terms) => TextTerm,
  spell?: (ranges: readonly Range[]) => Expression,
): Expression | undefined {
  budget.beginPart();
  const automaton = unlessTooComplex(() => toAutomaton(terms, make(terms), budget.spend));
  return automaton && automatonExpression(automaton, close, rules, key, path, spell);
}
