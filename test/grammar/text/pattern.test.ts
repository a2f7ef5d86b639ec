import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../src/grammar/budget.ts';
import { matchesText } from '../../../src/grammar/check/text-match.ts';
import { empty } from '../../../src/grammar/gbnf/expression.ts';
import { expressionText } from '../../../src/grammar/gbnf/expression-text.ts';
import { createRules, rulesText } from '../../../src/grammar/gbnf/rules.ts';
import { automatonExpression, toAutomaton } from '../../../src/grammar/text/automaton.ts';
import { readPattern } from '../../../src/grammar/text/pattern.ts';
import { createTerms } from '../../../src/grammar/text/terms.ts';
import { lengths, treeExpression } from '../../../src/grammar/text/text-tree.ts';
import { makeRandom } from '../../kit/random.ts';
import { parseGrammar } from '../gbnf.ts';
import { createMatcher } from '../gbnf-matcher.ts';
import { createWriter } from '../gbnf-writer.ts';

const read = (pattern: string) => readPattern(pattern, (reason) => new Error(reason));

/** The grammar of a pattern as one expression, as far as that goes. */
function asExpression(pattern: string) {
  const expression = treeExpression(read(pattern));
  return expression && useGrammar(`text ::= ${expressionText(expression)}\n`, 'text');
}

/** The grammar of a pattern as an automaton: a rule for each state. */
function asAutomaton(pattern: string) {
  const { spend } = createBudget(100_000);
  const terms = createTerms(spend);
  const automaton = toAutomaton(terms, terms.ofTree(read(pattern)), spend);
  const rules = createRules('', 100_000, () => new Error('too large'));
  const start = rules.start(automatonExpression(automaton, empty, rules, 'text', '#'));
  return useGrammar(rulesText(rules.reachable(start)), start);
}

function useGrammar(text: string, rule: string) {
  const grammar = parseGrammar(text);
  return { write: createWriter(grammar, rule), matches: createMatcher(grammar, rule) };
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
    const [min, max] = lengths(read(pattern));
    const regex = new RegExp(pattern, 'u');
    for (const grammar of [asExpression(pattern), asAutomaton(pattern)]) {
      const random = makeRandom(1);
      const written = Array.from({ length: 200 }, () => JSON.parse(`"${grammar?.write(random)}"`) as string);
      const isOfLength = ({ length }: string[]) => length >= min && length <= max;
      // One assertion for all texts: an assertion takes longer than to write a text.
      expect(written.filter((text) => !regex.test(text) || !isOfLength([...text]))).toEqual([]);
      for (const text of texts) {
        expect.soft(grammar?.matches(JSON.stringify(text).slice(1, -1)), JSON.stringify(text)).toBe(regex.test(text));
      }
    }
    for (const text of texts) {
      expect
        .soft(
          matchesText(read(pattern), text, () => {}),
          JSON.stringify(text),
        )
        .toBe(regex.test(text));
    }
  });

  it.each([
    '^(?=a)[ab]+$',
    '^(?!a)[ab]+$',
    '^(?=.*\\d)(?=.*[a-z])[a-z\\d]{2,4}$',
    '^(?!.*--)[a-z-]+$',
    '^a(?=b|c)(b|[^x])?',
    '^(a(?=b)|c)?b?$',
    '^((?!b)[a-c])$',
    '^(?=(?!ab)a)[abc]*$',
    '(?=b$)',
    '^(a$)$',
    '^(^a)$',
    '^a(b$|c)',
    '^(a*)*$',
    '^(a?){3}$',
    '^(|a|ab)+$',
    '^\\p{L}+$',
    '^\\P{L}+$',
    '^[\\p{Lu}_][\\p{Ll}\\d]*$',
    '^(?<year>\\d{4})-(?<month>\\d{2})-\\d\\d$',
  ])('that takes an automaton matches the same texts as the regular expression %s', (pattern) => {
    const grammar = asAutomaton(pattern);
    const regex = new RegExp(pattern, 'u');
    const random = makeRandom(1);
    const written = Array.from({ length: 200 }, () => JSON.parse(`"${grammar.write(random)}"`) as string);
    expect(written.filter((text) => !regex.test(text))).toEqual([]);
    for (const text of [...texts, 'b', 'ba', 'bab', 'cb', 'ac', 'a--b', 'a1', 'É1', 'Éa_']) {
      expect.soft(grammar.matches(JSON.stringify(text).slice(1, -1)), JSON.stringify(text)).toBe(regex.test(text));
      expect
        .soft(
          matchesText(read(pattern), text, () => {}),
          JSON.stringify(text),
        )
        .toBe(regex.test(text));
    }
  });

  it.each([
    ['(', 'is not a valid regular expression'],
    ['^(?<!a)b$', "has '(?<', which is not supported"],
    ['^(a)\\1$', "has '\\1', which is not supported"],
    ['\\bword', "has '\\b', which is not supported"],
    ['^\\k<a>(?<a>x)$', "has '\\k', which is not supported"],
    ['^a{1001}$', 'repeats more than 1000 times'],
    ['^a{3,1001}$', 'repeats more than 1000 times'],
    ['^\\ud800$', 'has half of a surrogate pair'],
    [`${'('.repeat(40)}a${')'.repeat(40)}`, 'has groups more than 32 deep'],
  ])('is refused if it is not about the characters one by one: %s', (pattern, reason) => {
    expect(() => read(pattern)).toThrow(reason);
  });
});
