import { type Expression, repeat, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import type { SchemaObject } from '../json-schema.ts';
import { TEXT_FORMATS } from '../text/formats.ts';
import { anyCharacter, QUOTE } from '../text/json-text.ts';
import { readPattern, type TextLanguage } from '../text/pattern.ts';
import { countUpTo, MAX_LENGTH } from './limits.ts';
import type { Refuse } from './refuse.ts';

/** Long texts are counted in blocks of this many characters: llama.cpp makes a rule of each optional repetition. */
const BLOCK = 64;
/** Longest text that is counted by single characters. */
const MAX_SINGLE = 4 * BLOCK;

/** Matches the strings of a flat schema. Lengths count code points. */
export function stringExpression(schema: SchemaObject, path: string, rules: Rules, refuse: Refuse): Expression {
  const min = countUpTo(MAX_LENGTH, schema, 'minLength', path, refuse) ?? 0;
  const max = countUpTo(MAX_LENGTH, schema, 'maxLength', path, refuse) ?? Number.POSITIVE_INFINITY;
  const language = namedLanguage(schema, path, refuse);
  if (!language) return quotedText(rules, min, max);
  const beside = `beside '${schema.pattern === undefined ? 'format' : 'pattern'}'`;
  if (min > language.min) throw refuse(path, 'minLength', `${beside} is not supported`);
  if (max < language.max) throw refuse(path, 'maxLength', `${beside} is not supported`);
  return sequence(QUOTE, language.expression, QUOTE);
}

/** Returns the texts that `pattern` or `format` describes; undefined if the schema has neither. */
function namedLanguage({ pattern, format }: SchemaObject, path: string, refuse: Refuse): TextLanguage | undefined {
  // The pattern wins over a format: JSON Schema makes patterns binding, and formats only a remark by default.
  if (pattern !== undefined) return readPattern(String(pattern), (reason) => refuse(path, 'pattern', reason));
  if (format === undefined) return undefined;
  const language = TEXT_FORMATS.get(String(format));
  if (!language) throw refuse(path, 'format', `'${String(format)}' is not supported`);
  return language;
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
