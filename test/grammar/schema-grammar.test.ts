import type { ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { checkValue } from '../../src/grammar/check/check.ts';
import {
  createSchemaGrammar,
  jsonObjectGrammar,
  rootGrammar,
  type SchemaGrammar,
} from '../../src/grammar/schema-grammar.ts';
import { makeRandom } from '../kit/random.ts';
import { repeats, sample } from '../support/repeats.ts';
import { parseGrammar } from './gbnf.ts';
import { createMatcher } from './gbnf-matcher.ts';
import { createWriter } from './gbnf-writer.ts';
import { schemaCases } from './schemas/all.ts';
import type { SchemaCase } from './schemas/schema-case.ts';
import { createValidator } from './validation.ts';

const TEXTS = repeats(100, 1000);

const grammarOf = (schema: JsonSchema) => createSchemaGrammar(schema, { param: 'schema' });

/** What two tests need of each case: to compile a schema takes longer than to write some texts. */
const compiled = new Map<SchemaCase, { grammar: SchemaGrammar; isValid: ValidateFunction }>();

function compile(testCase: SchemaCase) {
  const known = compiled.get(testCase);
  if (known) return known;
  const { schema, draft7 } = testCase;
  const made = { grammar: grammarOf(schema), isValid: createValidator(schema, draft7) };
  compiled.set(testCase, made);
  return made;
}

describe('the grammar of a schema', () => {
  it.each(sample(schemaCases))('writes nothing but valid values, or the check finds the others: $name', (testCase) => {
    const { schema, slips = [] } = testCase;
    const { grammar, isValid } = compile(testCase);
    const { rules, rule, isPartial } = grammar;
    const write = createWriter(parseGrammar(rules), rule);
    const random = makeRandom(1);
    // One assertion for all texts: an assertion takes longer than to write a text and to check it.
    const wrong: unknown[] = [];
    for (let count = 0; count < TEXTS; count++) {
      const text = write(random);
      const value = JSON.parse(text);
      const violations = checkValue(schema, value);
      const valid = isValid(value);
      if (valid !== (violations.length === 0))
        wrong.push({ text, violations, errors: structuredClone(isValid.errors) });
      if (!isPartial && violations.length > 0) wrong.push({ text, violations });
    }
    expect(wrong).toEqual([]);
    expect(isPartial).toBe(slips.length > 0);
  });

  it.each(sample(schemaCases))('matches the values it should and no others: $name', (testCase) => {
    const { schema, writes = [], refuses = [], slips = [] } = testCase;
    const { grammar, isValid } = compile(testCase);
    const matches = createMatcher(parseGrammar(grammar.rules), grammar.rule);
    for (const value of writes) {
      const text = JSON.stringify(value);
      expect.soft(isValid(value), `Ajv takes ${text}: ${JSON.stringify(isValid.errors)}`).toBe(true);
      expect.soft(matches(text), `takes ${text}`).toBe(true);
    }
    for (const value of refuses)
      expect.soft(matches(JSON.stringify(value)), `refuses ${JSON.stringify(value)}`).toBe(false);
    for (const value of slips) {
      const text = JSON.stringify(value);
      expect.soft(matches(text), `takes ${text}`).toBe(true);
      expect.soft(isValid(value), `Ajv refuses ${text}`).toBe(false);
      expect.soft(checkValue(schema, value), `the check refuses ${text}`).not.toEqual([]);
    }
  });

  it('is short for a plain schema', () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 14 } },
      required: ['city'],
      additionalProperties: false,
    };
    expect(grammarOf(schema)).toEqual({
      rule: 'object',
      isPartial: false,
      rules: [
        String.raw`object ::= "{\"city\":" " "? text ("," " "? "\"" members)? "}"`,
        String.raw`text ::= "\"" char* "\""`,
        String.raw`members ::= "days\":" " "? integer`,
        String.raw`char ::= [\x20-\x21\x23-\x5B\x5D-\uD7FF\uE000-\U0010FFFF] | "\\" [\x22\x5Cbfnrt]`,
        'integer ::= [1-9] | "1" [0-4]',
        '',
      ].join('\n'),
    });
  });

  it('writes a beginning that branches share only once', () => {
    const branch = (kind: string, value: JsonSchema) => ({
      type: 'object',
      properties: { kind: { const: kind }, value },
      required: ['kind', 'value'],
    });
    const { rules } = grammarOf({ anyOf: [branch('a', { type: 'null' }), branch('b', { type: 'boolean' })] });
    expect(rules).toBe(
      String.raw`union ::= "{\"kind\":" " "? "\"" ("a\"," " "? "\"value\":" " "? "null}" | ` +
        String.raw`"b\"," " "? "\"value\":" " "? boolean "}")` +
        '\nboolean ::= "true" | "false"\n',
    );
  });

  it('grows by a rule for each optional property, not by one for each combination', () => {
    const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, { type: 'null' }]));
    const { rules } = grammarOf({ type: 'object', properties });
    expect(rules.split('\n').length).toBeLessThan(210);
    expect(rules.length).toBeLessThan(20_000);
  });

  it('keeps the rules of several schemas apart by a prefix', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const parts = ['tool-0-', 'tool-1-'].map((prefix) => createSchemaGrammar(schema, { param: 'tools', prefix }));
    const all = parseGrammar(parts.map(({ rules }) => rules).join(''));
    for (const { rule } of parts) expect(createMatcher(all, rule)('{"a":"b"}')).toBe(true);
  });

  it('allows a space behind a comma or a colon and nowhere else', () => {
    const { rules, rule } = jsonObjectGrammar();
    const matches = createMatcher(parseGrammar(rules), rule);
    expect(matches('{"a": [1, 2], "b": {}}')).toBe(true);
    expect(matches('{"a":[1,2],"b":{}}')).toBe(true);
    for (const text of [
      '{"a":  1}',
      '{ "a":1}',
      '{"a":1 }',
      '{"a" :1}',
      '{"a":1,\n"b":2}',
      ' {}',
      '{} ',
      '[1]',
      '"a"',
    ]) {
      expect.soft(matches(text), text).toBe(false);
    }
  });

  it('becomes a complete grammar with a root rule', () => {
    const grammar = parseGrammar(rootGrammar(grammarOf({ type: 'null' })));
    expect(createMatcher(grammar, 'root')('null')).toBe(true);
  });

  it('has only one spelling for each string', () => {
    const { rules, rule } = grammarOf({ type: 'string' });
    const matches = createMatcher(parseGrammar(rules), rule);
    for (const text of ['"\\u0061"', '"\\/"', '"\\u0000"', '"\n"', '"\\ud800"', '"\ud800"']) {
      expect.soft(matches(text), text).toBe(false);
    }
  });
});
