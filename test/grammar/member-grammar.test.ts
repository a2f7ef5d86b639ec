import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { createMemberGrammar, type MemberMarks } from '../../src/grammar/schema-grammar.ts';
import { parseGrammar } from './gbnf.ts';
import { createMatcher } from './gbnf-matcher.ts';

const MARKS: MemberMarks = {
  key: '<',
  text: ' text>',
  other: (type) => ` ${type}>`,
  end: (name) => `</${name}>`,
  separator: ';',
};
/** The marks of families that write text and other values alike. */
const ALIKE: MemberMarks = { ...MARKS, text: '>', other: () => '>' };

const compile = (schema: JsonSchema, marks = ALIKE) => createMemberGrammar(schema, marks, { param: 'tools' });

const matcher = (schema: JsonSchema, marks = ALIKE) => {
  const { rules, rule } = compile(schema, marks);
  return createMatcher(parseGrammar(rules), rule);
};

const object = (properties: Record<string, JsonSchema>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

describe('the grammar of an object whose members have marks', () => {
  it('has the members in declared order, each at most once, and all required ones', () => {
    const matches = matcher(object({ a: { type: 'integer' }, b: { type: 'boolean' }, c: { type: 'null' } }, ['b']));
    expect(['<b>true</b>', '<a>1</a>;<b>true</b>', '<b>true</b>;<c>null</c>'].every(matches)).toBe(true);
    expect(['', '<a>1</a>', '<b>true</b>;<a>1</a>', '<b>true</b>;', '<b>1</b>', '<b>true</c>'].some(matches)).toBe(
      false,
    );
  });

  it('has no text for an object without members', () => {
    expect(matcher({ type: 'object', properties: {} })('')).toBe(true);
    expect(matcher(object({ a: { type: 'string' } }))('')).toBe(true);
  });

  it('has text as it is, without the mark after it', () => {
    const matches = matcher(object({ a: { type: 'string' } }));
    expect(['<a></a>', '<a>"x\\\n<b></a>', '<a></</a>', '<a><</a></a>'].map(matches)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('has text that obeys its keywords', () => {
    const matches = matcher(
      object({ a: { type: 'string', pattern: '^[a-c]+$', maxLength: 2 }, b: { enum: ['x', 1] } }),
    );
    expect(['<a>ab</a>', '<b>x</b>', '<b>1</b>'].every(matches)).toBe(true);
    expect(['<a>abc</a>', '<a>d</a>', '<b>y</b>'].some(matches)).toBe(false);
  });

  it('has no text that would be read as another type, where both are allowed', () => {
    const matches = matcher(object({ a: { type: ['string', 'integer'], minimum: 5 } }));
    expect(['<a>x</a>', '<a>7</a>', '<a>null and void</a>'].map(matches)).toEqual([true, true, false]);
    expect(['<a>3</a>', '<a>{}</a>', '<a>true</a>'].some(matches)).toBe(false);
  });

  it('has any text where the marks tell the types apart', () => {
    const matches = matcher(object({ a: { type: ['string', 'integer'] } }), MARKS);
    expect(['<a text>3</a>', '<a integer>3</a>', '<a integer>x</a>'].map(matches)).toEqual([true, true, false]);
  });

  it('has nested values as JSON, by references too', () => {
    const schema = {
      ...object({ a: { $ref: '#/$defs/x' } }),
      $defs: { x: { type: 'array', items: { type: 'string' } } },
    };
    expect(matcher(schema)('<a>["x", "y"]</a>')).toBe(true);
  });

  it('has the members of one of the alternatives', () => {
    const matches = matcher({
      anyOf: [object({ a: { type: 'null' } }, ['a']), object({ b: { type: 'null' } }, ['b'])],
    });
    expect(['<a>null</a>', '<b>null</b>', '<a>null</a>;<b>null</b>'].map(matches)).toEqual([true, true, false]);
  });

  it('leaves to the check what it can not say', () => {
    expect(compile(object({ a: { type: 'string' } })).isPartial).toBe(false);
    expect(compile({ ...object({ a: { type: 'string' }, b: { type: 'string' } }), minProperties: 2 }).isPartial).toBe(
      true,
    );
  });
});
