import { countUpTo } from './count-up-to.ts';
import { type Expression, repeat, sequence } from './expression.ts';
import type { SchemaObject } from './json-schema.ts';
import { anyCharacter, QUOTE } from './json-text.ts';
import { readPattern, type TextLanguage } from './pattern.ts';
import type { Rules } from './rules.ts';
import type { SchemaCompiler } from './schema-compiler.ts';
import { MAX_LENGTH } from './schema-limits.ts';
import { TEXT_FORMATS } from './text-formats.ts';

/** Characters that a long text is counted in: a rule for each single one would make the grammar large. */
const BLOCK = 64;
/** Longest text that is counted by single characters. */
const MAX_SINGLE = 4 * BLOCK;

/** Strings of a flat schema. Lengths count code points, and every character is spelled in one way only. */
export function stringExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const min = countUpTo(MAX_LENGTH, compiler, schema, path, 'minLength', 0);
  const max = countUpTo(MAX_LENGTH, compiler, schema, path, 'maxLength', Number.POSITIVE_INFINITY);
  const language = namedLanguage(compiler, schema, path);
  if (!language) return quotedText(compiler.rules, min, max);
  const beside = `beside '${schema.pattern === undefined ? 'format' : 'pattern'}'`;
  if (min > language.min) throw compiler.refuse(path, 'minLength', `${beside} is not supported`);
  if (max < language.max) throw compiler.refuse(path, 'maxLength', `${beside} is not supported`);
  return sequence(QUOTE, language.expression, QUOTE);
}

/** What `pattern` or `format` describes. */
function namedLanguage(
  { refuse }: SchemaCompiler,
  { pattern, format }: SchemaObject,
  path: string,
): TextLanguage | undefined {
  // JSON Schema takes a format for a remark by default; beside a pattern, which always counts, it is one here.
  if (pattern !== undefined) return readPattern(String(pattern), (reason) => refuse(path, 'pattern', reason));
  if (format === undefined) return undefined;
  const language = TEXT_FORMATS.get(String(format));
  if (!language) throw refuse(path, 'format', `'${String(format)}' is not supported`);
  return language;
}

/** Any string of `min` to `max` characters, as a JSON string. */
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
    // Blocks and single characters stay open side by side, but no more than these two: no string is inside a string.
    return rules.add('up-to', '#', text, true);
  };
  return sequence(exact(min), upTo(max - min));
}
