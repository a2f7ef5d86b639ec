import type { SchemaObject } from '../../contract/json-schema.ts';
import { isRunnable } from '../gbnf/check.ts';
import { type Expression, repeat, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { TEXT_FORMATS } from '../text/formats.ts';
import { anyCharacter, QUOTE } from '../text/json-text.ts';
import { readPattern } from '../text/pattern.ts';
import type { TextTerm } from '../text/term.ts';
import type { Terms } from '../text/terms.ts';
import { lengths, type TextTree, treeExpression, withoutLooks } from '../text/text-tree.ts';
import { requireKnownFormat } from './checkable.ts';
import type { SchemaCompiler } from './context.ts';
import { countUpTo, MAX_LENGTH } from './limits.ts';
import type { Negation } from './negation.ts';
import { textSet } from './text-set.ts';
import { everyValue } from './types.ts';

/** Long texts are counted in blocks of this many characters: llama.cpp makes a rule of each optional repetition. */
const BLOCK = 64;
/** Longest text that is counted by single characters. */
const MAX_SINGLE = 4 * BLOCK;

/**
 * Matches the strings of a flat schema that are not ruled out. Lengths count code points. Throws a 400 `ApiError` for a
 * `pattern` or `format` that is unknown or takes too much work, and for a `minLength` over `MAX_LENGTH`.
 */
export function stringExpression(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  ruledOut: Negation,
): Expression {
  const { rules, refuse } = compiler;
  const min = countUpTo(MAX_LENGTH, schema, 'minLength', path, refuse) ?? 0;
  const max = atMost(compiler, schema, path);
  const trees = namedTexts(compiler, schema, path);
  const [first] = trees;
  const isSingle = trees.length <= 1 && ruledOut.texts.length === 0;
  if (isSingle && !first) return quotedText(rules, min, max);

  const quoted = first && quotedExpression(first);
  if (isSingle && first && quoted && hasLengths(first, min, max) && isRunnable(quoted)) return quoted;

  const key = `string ${JSON.stringify([trees, min, max, ruledOut.texts])}`;
  const set = textSet(compiler, key, path, QUOTE, (terms) => toTerm(terms, trees, min, max, ruledOut.texts));
  if (set) return sequence(QUOTE, set);
  return leftOver(compiler, schema, path, first ? simpler(compiler, first, path) : quotedText(rules, min, max));
}

/** Matches the strings of a tree without its look-aheads, and so perhaps more strings. */
function simpler(compiler: SchemaCompiler, tree: TextTree, path: string): Expression | undefined {
  const rest = withoutLooks(tree);
  const quoted = quotedExpression(rest);
  if (quoted && isRunnable(quoted)) return quoted;
  const set = textSet(compiler, `string ${JSON.stringify(rest)}`, path, QUOTE, (terms) => terms.ofTree(rest));
  return set ? sequence(QUOTE, set) : quoted;
}

function quotedExpression(tree: TextTree): Expression | undefined {
  const expression = treeExpression(tree);
  return expression && sequence(QUOTE, expression, QUOTE);
}

/** Returns the term of the strings that match all of `trees` and the length, and none of `others`. */
export function toTerm(
  terms: Terms,
  trees: TextTree[],
  min: number,
  max: number,
  others: readonly TextTree[],
): TextTerm {
  return terms.and([
    ...trees.map(terms.ofTree),
    terms.ofLength(min, max),
    ...others.map((tree) => terms.not(terms.ofTree(tree))),
  ]);
}

/** Returns an expression for some of the keywords, and leaves the other keywords to the check of the finished value. */
function leftOver(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  expression: Expression | undefined,
): Expression {
  const keyword = schema.pattern === undefined ? 'format' : 'pattern';
  if (!expression) throw compiler.refuse(path, keyword, 'takes too much work to be obeyed');
  for (const one of ['minLength', 'maxLength', 'pattern', 'format', 'not']) {
    if (schema[one] !== undefined) compiler.leave(schema, one, path);
  }
  return expression;
}

function hasLengths(tree: TextTree, min: number, max: number): boolean {
  const [least, greatest] = lengths(tree);
  return min <= least && max >= greatest;
}

/** Reads `maxLength`. Above the limit it is left to the check. */
function atMost(compiler: SchemaCompiler, schema: SchemaObject, path: string): number {
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  if (Number(maxLength) <= MAX_LENGTH || maxLength === Number.POSITIVE_INFINITY) return Number(maxLength);
  compiler.leave(schema, 'maxLength', path);
  return Number.POSITIVE_INFINITY;
}

/**
 * Returns the texts that each `pattern` and `format` describes. Throws a 400 `ApiError` for a pattern that is invalid
 * or not supported, and for an unknown format.
 */
export function namedTexts(compiler: SchemaCompiler, schema: SchemaObject, path: string): TextTree[] {
  // A pattern wins over a format: JSON Schema makes patterns binding, and formats only a remark by default.
  const patterns = everyValue(schema, 'pattern');
  if (patterns.length > 0) {
    return patterns.map((pattern) =>
      readPattern(String(pattern), (reason) => compiler.refuse(path, 'pattern', reason)),
    );
  }
  return everyValue(schema, 'format').flatMap((format) => {
    requireKnownFormat(String(format), path, compiler.refuse);
    const { written, isValid } = TEXT_FORMATS.get(String(format)) ?? {};
    if (!written && isValid) compiler.leave(schema, 'format', path);
    return written ?? [];
  });
}

/** Matches any JSON string of `min` to `max` characters, quotes included. */
function quotedText(rules: Rules, min: number, max: number): Expression {
  return rules.define('text', `text ${min} ${max}`, '#', () => sequence(QUOTE, characters(rules, min, max), QUOTE));
}

function characters(rules: Rules, min: number, max: number): Expression {
  const single = anyCharacter(rules);
  const block = () => rules.define('block', 'block', '#', () => repeat(single, BLOCK, BLOCK));
  const exact = (count: number): Expression =>
    count <= MAX_SINGLE
      ? repeat(single, count, count)
      : sequence(repeat(block(), Math.floor(count / BLOCK), Math.floor(count / BLOCK)), exact(count % BLOCK));
  const upTo = (count: number): Expression => {
    if (count <= MAX_SINGLE || !Number.isFinite(count)) return repeat(single, 0, count);
    const blocks = Math.floor(count / BLOCK);
    const text = sequence(repeat(block(), 0, blocks - 1), repeat(single, 0, count - (blocks - 1) * BLOCK));
    // Two ways are open at a time, the next block and the single characters. They can't multiply: strings don't nest.
    return rules.add('up-to', '#', text, true);
  };
  return sequence(exact(min), upTo(max - min));
}
