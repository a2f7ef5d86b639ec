import { choice } from './gbnf/choice.ts';
import { type Expression, repeat, sequenceOf } from './gbnf/expression.ts';
import { GrammarFault } from './gbnf/fault.ts';
import { readRules, type WrittenRule } from './gbnf/parse.ts';
import { expressionSize, type GrammarRule, reachableRules } from './gbnf/rules.ts';
import { MAX_GRAMMAR_SIZE } from './schema/limits.ts';

/** Longest grammar of a client, in characters. */
const MAX_LENGTH = 100_000;

/**
 * Reads a grammar that a client wrote. Returns the rules that `root` needs, with names of our own: `name` for `root`,
 * and names that begin with it for the others. Options with the same beginning share it. The path of each rule is its
 * line. Throws the error of `fail` for a fault in a line, and that of `tooLarge` for too much text.
 */
export function readWrittenGrammar(
  text: string,
  name: string,
  fail: (line: string, reason: string) => Error,
  tooLarge: (reason: string) => Error,
): Map<string, GrammarRule> {
  if (text.length > MAX_LENGTH) throw tooLarge(`has more than ${MAX_LENGTH} characters`);
  const written = readFaultless(text, fail);
  const needed = reachableRules(toGrammarRules(text, written), 'root');
  const names = new Map(Array.from(needed.keys(), (old, index) => [old, index === 0 ? name : `${name}-${index + 1}`]));
  const rules = new Map<string, GrammarRule>();
  let size = 0;
  for (const [old, rule] of needed) {
    size += expressionSize(rule.body);
    if (size > MAX_GRAMMAR_SIZE) throw tooLarge(`has more than ${MAX_GRAMMAR_SIZE} parts`);
    rules.set(names.get(old) ?? old, { ...rule, body: rebuilt(rule.body, names) });
  }
  return rules;
}

function readFaultless(text: string, fail: (line: string, reason: string) => Error): Map<string, WrittenRule> {
  try {
    return readRules(text);
  } catch (error) {
    if (error instanceof GrammarFault) throw fail(`${lineOf(text, error.at)}`, error.message);
    throw error;
  }
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** Returns the rules with their lines as paths. */
function toGrammarRules(text: string, written: ReadonlyMap<string, WrittenRule>): Map<string, GrammarRule> {
  let [line, counted] = [1, 0];
  const rules = new Map<string, GrammarRule>();
  for (const [name, { body, at }] of written) {
    line += lineOf(text.slice(counted, at), at) - 1;
    counted = at;
    rules.set(name, { body, exclusive: false, path: `${line}` });
  }
  return rules;
}

/** Returns the expression with the new names of rules, and with shared beginnings in its choices. */
function rebuilt(expression: Expression, names: ReadonlyMap<string, string>): Expression {
  switch (expression.kind) {
    case 'rule':
      return { kind: 'rule', name: names.get(expression.name) ?? expression.name };
    case 'sequence':
      return sequenceOf(expression.items.map((item) => rebuilt(item, names)));
    case 'choice':
      return choice(expression.options.map((option) => rebuilt(option, names)));
    case 'repeat':
      return repeat(rebuilt(expression.item, names), expression.min, expression.max);
    default:
      return expression;
  }
}
