import { describe, expect, it } from 'vitest';
import { expressionText } from '../../../../src/core/grammar/gbnf/expression-text.ts';
import { readPattern } from '../../../../src/core/grammar/text/pattern.ts';
import { makeRandom } from '../../../fixtures/random.ts';
import { parseGrammar } from '../gbnf.ts';
import { createMatcher } from '../gbnf-matcher.ts';
import { createWriter } from '../gbnf-writer.ts';

function read(pattern: string) {
  const { expression, min, max } = readPattern(pattern, (reason) => new Error(reason));
  const grammar = parseGrammar(`text ::= ${expressionText(expression)}\n`);
  return { write: createWriter(grammar, 'text'), matches: createMatcher(grammar, 'text'), min, max };
}

const texts = [
  '',
  'a',
  'ab',
  'abc',
  'aab',
  '12',
  'a-b',
  'a"b',
  'a\\b',
  'a\nb',
  ' x ',
  '\u{1f600}',
  'foo.bar',
  '2024-01-01',
  'é_',
];

describe('a pattern', () => {
  it.each([
    '^abc$',
    '^a*b+c?$',
    '^(ab|a)+$',
    '^(?:a|b){2,3}$',
    '^[a-c]{2}$',
    '^[^a-c]*$',
    '^\\d{2}$|^a',
    'b',
    'b$',
    '^a',
    '',
    '^$',
    '^.{1,3}$',
    '^[\\w.-]+$',
    '^\\S+$',
    '^[\\s\\S]*$',
    '^\\D\\W\\w$',
    '^a["\\\\\\n-]b$',
    '^\\x61\\u0062\\u{63}$',
    '^\\u{1f600}$',
    '^[\u{1f600}-\u{1f64f}é]_?$',
    '^[^]$',
    '^(a|(b|(c)))*?$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^foo\\.bar$|^a+?b{1}$',
    '^[a-]\\-?$'.replace('\\-', '-'),
    '^[\\b\\t\\]\\^]|x$',
  ])('matches the same texts as the regular expression %s', (pattern) => {
    const { write, matches, min, max } = read(pattern);
    const regex = new RegExp(pattern, 'u');
    const random = makeRandom(1);
    for (let count = 0; count < 200; count++) {
      const text = JSON.parse(`"${write(random)}"`);
      expect.soft(regex.test(text), JSON.stringify(text)).toBe(true);
      expect.soft([...text].length).toBeGreaterThanOrEqual(min);
      expect.soft([...text].length).toBeLessThanOrEqual(max);
    }
    for (const text of texts) {
      expect.soft(matches(JSON.stringify(text).slice(1, -1)), JSON.stringify(text)).toBe(regex.test(text));
    }
  });

  it.each([
    ['(', 'is not a valid regular expression'],
    ['^(?=a)b$', "has '(?=', which is not supported"],
    ['^(?<!a)b$', "has '(?<', which is not supported"],
    ['^(?<name>a)$', "has '(?<', which is not supported"],
    ['^(a)\\1$', "has '\\1', which is not supported"],
    ['\\bword', "has '\\b', which is not supported"],
    ['^\\p{L}$', "has '\\p', which is not supported"],
    ['^\\k<a>(?<a>x)$', "has '\\k', which is not supported"],
    ['a^b', "has '^b', which is not supported"],
    ['^a$b', "has '$b', which is not supported"],
    ['^(a$)$', "has '$)$', which is not supported"],
    ['^(^a)$', "has '^a)', which is not supported"],
    ['^(a*)*$', 'repeats something that may be empty, which is not supported'],
    ['^(a?){3}$', 'repeats something that may be empty, which is not supported'],
    ['^a{1001}$', 'repeats more than 1000 times'],
    ['^a{3,1001}$', 'repeats more than 1000 times'],
    ['^\\ud800$', 'has half of a surrogate pair'],
    [`${'('.repeat(40)}a${')'.repeat(40)}`, 'has groups more than 32 deep'],
  ])('is refused if a grammar can not express it: %s', (pattern, reason) => {
    expect(() => read(pattern)).toThrow(reason);
  });
});
