import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.ts';
import {
  createChoiceGrammar,
  createPatternGrammar,
  createWrittenGrammar,
  type FormGrammar,
} from '../../src/grammar/form-grammar.ts';
import { rootGrammar } from '../../src/grammar/schema-grammar.ts';
import { cpuMs } from '../kit/cpu-ms.ts';
import { makeRandom } from '../kit/random.ts';
import { parseGrammar } from './gbnf.ts';
import { createMatcher } from './gbnf-matcher.ts';
import { createWriter } from './gbnf-writer.ts';

function allowed({ rules, rule }: FormGrammar, texts: string[]): string[] {
  return texts.filter(createMatcher(parseGrammar(rules), rule));
}

/** Returns the error of a grammar, a pattern or a list. */
function refusal(compile: () => unknown) {
  try {
    compile();
  } catch (error) {
    if (error instanceof ApiError) return error.data;
    throw error;
  }
  return undefined;
}

const ofGrammar = (text: string) => refusal(() => createWrittenGrammar(text, 'grammar'));
const ofPattern = (pattern: string) => refusal(() => createPatternGrammar(pattern, 'guided_regex'));

/** A grammar with comments, empty lines, groups, counts, classes and escapes, as people write it. */
const ORDERS = `# What a waiter writes down
root ::= order ("\\n" order){0,2}

order ::= count "x " dish # such as "2x soup"
count ::= [1-9] [0-9]?
dish ::= "soup" |
         "fish" | sweet_thing
sweet_thing ::= ("ice" | "ice cream" | "caf\\u00e9 au lait" ) [^a-z\\n]?
unused ::= "nothing"
`;

describe('a grammar that a client wrote', () => {
  it('has the same texts as before', () => {
    const texts = ['1x soup', '12x fish\n3x ice cream', '2x café au lait!', '9x ice?'];
    const others = [
      '',
      '0x soup',
      '1x soup\n',
      '123x fish',
      '1x soup\n1x soup\n1x soup\n1x soup',
      '2x ices',
      'nothing',
    ];
    expect(allowed(createWrittenGrammar(ORDERS, 'grammar'), [...texts, ...others])).toEqual(texts);
  });

  it('takes names of ours in the place of its own, and no rule that it does not need', () => {
    const { rule, rules } = createWrittenGrammar(ORDERS, 'grammar');
    const names = [...parseGrammar(rules).keys()];
    expect(names[0]).toBe(rule);
    expect(names).toHaveLength(5);
    expect(names.every((name) => name.startsWith(rule))).toBe(true);
    expect(parseGrammar(rootGrammar({ rule, rules })).has('root')).toBe(true);
  });

  it('may go on in the next line, and may hold itself', () => {
    const grammar = createWrittenGrammar('root ::= "(" root ")"\n  | "x"\n  | # nothing', 'grammar');
    expect(allowed(grammar, ['', 'x', '()', '((x))', '(', 'xx'])).toEqual(['', 'x', '()', '((x))']);
  });

  it.each<[grammar: string, line: number, reason: string]>([
    ['', 1, "does not define the rule 'root'"],
    ['start ::= "a"', 1, "does not define the rule 'root'"],
    ['root ::= a\na ::= b\n', 2, "names the rule 'b'"],
    ['root ::= "a"\n\nroot ::= "b"', 3, "defines the rule 'root' a second time"],
    ['root ::= "a"\n  "b', 2, 'without its closing quote'],
    ['root ::=\n[a-z', 2, "a class without its ']'"],
    ['root ::= [z-a]', 1, 'backwards'],
    ['root ::= []', 1, 'a class without characters'],
    ['root ::= "a" <think>', 1, 'names a token'],
    ['root ::= "a"{x}', 1, 'that is no count'],
    ['root ::= "a"{3,2}', 1, 'whose first number is the larger one'],
    ['root ::= *', 1, 'nothing before it to repeat'],
    ['root ::= ("a"\n| "b"', 1, "a '(' without its ')'"],
    ['root ::= "a" )', 1, 'where a rule such as'],
    ['# x\nroot ::= "\\d"', 2, 'no escape of GBNF'],
    ['root ::= "\\uD800"', 1, 'no character'],
    ['root ::= "a\\x00"', 1, 'the character 0'],
    ['root ::= "a" ; "b"', 1, "has ';'"],
    ['root = "a"', 1, "has '='"],
    ['?start: "a"', 1, "has ':'"],
    ['root', 1, "has 'root' where a rule such as"],
    ['root ::= a\na ::= root "x" | "y"', 2, 'holds itself'],
    ['root ::= "x" root', 1, 'has no value'],
    ['root ::= a\na ::= ("x"?)*', 2, 'repeats an empty text'],
    ['root ::= "a"{3000}', 1, 'repeats something large too often'],
    ['root ::= "x"\n | "a" root "b"\n | "a" root "c"\n | [a-z] root "d"', 1, 'ways open at a time'],
  ])('is refused with its line: %j', (grammar, line, reason) => {
    const error = ofGrammar(grammar);
    expect(error).toMatchObject({ status: 400, code: 'invalid_grammar', param: 'grammar' });
    expect(error?.message).toMatch(new RegExp(`^Line ${line} of the grammar `));
    expect(error?.message).toContain(reason);
  });

  it.each<[kind: string, grammar: string]>([
    ['many characters', `root ::= "${'a'.repeat(100_000)}"`],
    ['many parts', `root ::= ("${'a'.repeat(1000)}"){1000}`],
    ['many groups', `root ::= ${'('.repeat(1000)}"a"${')'.repeat(1000)}`],
    ['many comment signs', `root ::= "a" ${'#'.repeat(50_000)}\n!`],
    ['a long chain of rules', chain(2000)],
    ['many options', `root ::= ${Array.from({ length: 9000 }, (_, n) => `[a-z] "${n}"`).join(' | ')}`],
    ['rules that change one another', tangle(300)],
  ])('takes no long time to refuse or to compile: %s', (_, grammar) => {
    const before = cpuMs();
    expect(ofGrammar(grammar)?.status ?? 400).toBe(400);
    expect(cpuMs() - before).toBeLessThan(4000);
  });
});

/** Rules in such an order that each one is looked at before the rule that it needs. */
function chain(length: number): string {
  const names = Array.from({ length }, (_, index) => `r${index}`);
  const rules = names.map((name, index) => `${name} ::= ${index + 1 < length ? `("a" | r${index + 1})` : '"z"'}`);
  return `root ::= ${names.toReversed().join(' ')}\n${rules.join('\n')}`;
}

/** Rules that all begin alike and all refer to all others. */
function tangle(length: number): string {
  const names = Array.from({ length }, (_, index) => `r${index}`);
  const rules = names.map((name) => `${name} ::= ${names.map((other) => `"a" ${other}`).join(' | ')} | "b"`);
  return `root ::= r0\n${rules.join('\n')}`;
}

describe('one of several texts', () => {
  it('is exactly one of them, also if one begins another', () => {
    const texts = ['yes', 'yes!', 'no', 'a "quoted"\n[text]', 'grün'];
    const others = ['', 'ye', 'yes?', 'noyes'];
    expect(allowed(createChoiceGrammar([...texts, 'no'], 'guided_choice'), [...texts, ...others])).toEqual(texts);
  });

  it('may be one of a thousand', () => {
    const texts = Array.from({ length: 1000 }, (_, index) => `the text with number ${index}`);
    expect(allowed(createChoiceGrammar(texts, 'guided_choice'), ['the text with number 512', 'the'])).toEqual([
      'the text with number 512',
    ]);
  });

  it('is refused if the texts are too large', () => {
    expect(refusal(() => createChoiceGrammar(['a'.repeat(200_000)], 'guided_choice'))).toMatchObject({
      code: 'invalid_grammar',
      param: 'guided_choice',
      message: 'The list takes a grammar of more than 100000 parts.',
    });
  });
});

describe('a regular expression', () => {
  it.each<[pattern: string, texts: string[], others: string[]]>([
    ['a+', ['a', 'aaa'], ['', 'b', 'ab', 'ba']],
    ['^(yes|no)$', ['yes', 'no'], ['', 'yesno', 'yes ']],
    ['\\d{3}\\-\\d{2}', ['123-45'], ['12345', '123\\-45']],
    ['(?P<day>[0-3][0-9])\\.(?<month>\\d\\d)', ['24.12'], ['2412', '24-12']],
    ['["\\\\\\n]', ['"', '\\', '\n'], ['\\n', '']],
    ['(a?)*b', ['b', 'aab'], ['a', '']],
    ['(?=.{3}$)[a-z]*', ['abc'], ['ab', 'abcd']],
    ['[\\-\\+]?\\d+', ['-1', '+22', '3'], ['--1', '\\1']],
    ['', [''], ['a']],
  ])('matches the whole text: %j', (pattern, texts, others) => {
    expect(allowed(createPatternGrammar(pattern, 'guided_regex'), [...texts, ...others])).toEqual(texts);
  });

  it('is what RegExp takes it for', () => {
    const random = makeRandom(1);
    for (const pattern of ['(ab|a)(bc|c)*[^x]?', '\\p{Lu}[^\\s]{2,4}(\\.|!)', '([a-c]{1,2},)*d', '(x|y(z|zz))+']) {
      const { rules, rule } = createPatternGrammar(pattern, 'guided_regex');
      const write = createWriter(parseGrammar(rules), rule);
      for (let round = 0; round < 50; round++) expect(write(random)).toMatch(new RegExp(`^(?:${pattern})$`, 'u'));
    }
  });

  it.each([
    ['(', 'is not a valid regular expression'],
    ['(a)\\1', 'which is not supported'],
    ['a{2000}', 'repeats more than 1000 times'],
    ['a[^\\s\\S]', 'no value'],
    [`${'(a|b|ab)'.repeat(2000)}`, 'has more than 10000 characters'],
  ])('is refused in words: %j', (pattern, reason) => {
    const error = ofPattern(pattern);
    expect(error).toMatchObject({ status: 400, code: 'invalid_grammar', param: 'guided_regex' });
    expect(error?.message).toContain(reason);
  });

  it('takes no long time where it would be exponential', () => {
    const before = cpuMs();
    ofPattern(`(?=.*a)(?=.*b)(?=.*c)(.*[a-z]){40}(a|aa|aaa){1,40}$`);
    ofPattern('((a+)+)+b');
    ofPattern('(.*a.{30})');
    expect(cpuMs() - before).toBeLessThan(8000);
  });
});
