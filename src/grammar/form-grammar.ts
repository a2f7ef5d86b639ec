import { type ApiError, invalidRequest } from '../contract/errors.ts';
import { createBudget, unlessTooComplex } from './budget.ts';
import { checkGrammar, isRunnable } from './gbnf/check.ts';
import { choice } from './gbnf/choice.ts';
import { type Expression, empty, literal, oneCharacterOf } from './gbnf/expression.ts';
import { createRules, type GrammarRule, type Rules, rulesText } from './gbnf/rules.ts';
import { MAX_GRAMMAR_SIZE, MAX_STEPS_OF_TEXT, MAX_TEXT_STEPS } from './schema/limits.ts';
import { textSet } from './schema/text-set.ts';
import { readWholePattern } from './text/pattern.ts';
import { createTerms } from './text/terms.ts';
import { treeExpression } from './text/text-tree.ts';
import { readWrittenGrammar } from './written-grammar.ts';

/** A grammar in GBNF, as one line `name ::= ...` per rule, and the name of the rule for the whole text. */
export interface FormGrammar {
  rules: string;
  rule: string;
}

/** Longest pattern of a client, in characters. */
const MAX_PATTERN_LENGTH = 10_000;
/** The names of all rules begin so. */
const PREFIX = 'form';

/**
 * Compiles a grammar that a client wrote in GBNF. The result has the same texts, and names of its own for the rules.
 * Throws a 400 `ApiError` that names `param` and the line if the text is no grammar, or if the grammar has no text, is
 * too large, or leaves too many alternatives open.
 */
export function createWrittenGrammar(text: string, param: string): FormGrammar {
  const fail = (line: string, reason: string) => invalidGrammar(param, `Line ${line} of the grammar ${reason}.`);
  const size = (reason: string) => invalidGrammar(param, `The grammar ${reason}.`);
  return checked(readWrittenGrammar(text, PREFIX, fail, size), PREFIX, fail, size);
}

/** Compiles the grammar of exactly these texts. Throws a 400 `ApiError` that names `param` if they are too large. */
export function createChoiceGrammar(texts: string[], param: string): FormGrammar {
  return compileTexts(param, 'The list', () => choice(texts.map(literal)));
}

/**
 * Compiles the grammar of the texts that match a regular expression as a whole. Throws a 400 `ApiError` that names
 * `param` for a pattern that is not valid, that no grammar can express, or that takes too many steps.
 */
export function createPatternGrammar(pattern: string, param: string): FormGrammar {
  const refuse = (reason: string) => invalidGrammar(param, `The pattern ${reason}.`);
  if (pattern.length > MAX_PATTERN_LENGTH) throw refuse(`has more than ${MAX_PATTERN_LENGTH} characters`);
  const tree = readWholePattern(inEcmaScript(pattern), refuse);
  const spelled = treeExpression(tree, (ranges) => oneCharacterOf(...ranges));
  return compileTexts(param, 'The pattern', (rules) => {
    if (spelled && isRunnable(spelled)) return spelled;
    const budget = createBudget(MAX_TEXT_STEPS, MAX_STEPS_OF_TEXT);
    const parts = { rules, budget, terms: createTerms(budget.spend) };
    const set = textSet(
      parts,
      'pattern',
      '',
      empty,
      (terms) => terms.ofTree(tree),
      (ranges) => oneCharacterOf(...ranges),
    );
    if (!set) throw refuse('takes too much work to be obeyed');
    return set;
  });
}

/**
 * Returns a pattern in the words of ECMAScript. In Python, a backslash may stand before every punctuation mark, and the
 * names of groups begin with `P`.
 */
function inEcmaScript(pattern: string): string {
  return pattern.replace(/\\(.)|\(\?P</gsu, (written, mark?: string) => {
    if (mark === undefined) return '(?<';
    return /[0-9A-Za-z^$\\.*+?()[\]{}|/]/u.test(mark) ? written : `\\u{${mark.codePointAt(0)?.toString(16)}}`;
  });
}

/** Compiles the expression of `build`. `subject` is its name in errors. */
function compileTexts(param: string, subject: string, build: (rules: Rules) => Expression): FormGrammar {
  const refuse = (reason: string) => invalidGrammar(param, `${subject} ${reason}.`);
  const rules = createRules(PREFIX, MAX_GRAMMAR_SIZE, () =>
    refuse(`takes a grammar of more than ${MAX_GRAMMAR_SIZE} parts`),
  );
  const start = rules.start(build(rules));
  return checked(rules.reachable(start), start, (_, reason) => refuse(reason), refuse);
}

function checked(
  rules: ReadonlyMap<string, GrammarRule>,
  rule: string,
  fail: (path: string, reason: string) => Error,
  tooLarge: (reason: string) => Error,
): FormGrammar {
  const { spend } = createBudget(MAX_TEXT_STEPS);
  const text = unlessTooComplex(() => {
    checkGrammar(rules, fail, spend);
    return rulesText(rules);
  });
  if (text === undefined) throw tooLarge('takes too many steps to be checked');
  return { rules: text, rule };
}

function invalidGrammar(param: string, message: string): ApiError {
  return invalidRequest(message, param, 'invalid_grammar');
}
