import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.ts';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { createSchemaGrammar } from '../../src/grammar/schema-grammar.ts';
import { cpuMs } from '../kit/cpu-ms.ts';

function refusal(schema: unknown) {
  try {
    createSchemaGrammar(schema as JsonSchema, { param: 'response_format.json_schema.schema' });
  } catch (error) {
    if (error instanceof ApiError) return error.data;
    throw error;
  }
  return undefined;
}

const inProperty = (schema: unknown) => ({ type: 'object', properties: { 'a/b': schema }, required: ['a/b'] });
const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

/** A chain of unions. Each link doubles the number of ways in which the grammar may have produced the same text. */
function doubling(length: number) {
  const definitions: [string, unknown][] = [
    ['d0', { type: 'string' }],
    ['e0', { type: 'string', minLength: 1 }],
  ];
  for (let index = 1; index <= length; index++) {
    const [d, e] = [{ $ref: `#/$defs/d${index - 1}` }, { $ref: `#/$defs/e${index - 1}` }];
    definitions.push([`d${index}`, { anyOf: [object({ a: d }, ['a']), object({ a: e, b: true }, ['a', 'b'])] }]);
    definitions.push([`e${index}`, { anyOf: [object({ a: e }, ['a']), object({ a: d, c: true }, ['a', 'c'])] }]);
  }
  return { $ref: `#/$defs/d${length}`, $defs: Object.fromEntries(definitions) };
}

function nested(depth: number): unknown {
  return depth === 0 ? {} : { items: nested(depth - 1) };
}

describe('a schema that can be neither enforced nor checked', () => {
  it.each<[string, unknown, string]>([
    ['unevaluatedItems', { unevaluatedItems: false }, 'is not supported'],
    ['unevaluatedProperties', { unevaluatedProperties: false }, 'is not supported'],
    ['$dynamicRef', { $dynamicRef: '#a' }, 'is not supported'],
    ['$anchor', { $anchor: 'a' }, 'is not supported'],
    ['minlength', { type: 'string', minlength: 5 }, 'is not supported'],
    ['format', { type: 'string', format: 'emial' }, "'emial' is not supported"],
    ['format', { type: 'integer', format: 'in32' }, "'in32' is not supported"],
    ['pattern', { type: 'string', pattern: '\\bword' }, "has '\\b', which is not supported"],
    ['pattern', { type: 'string', pattern: '^(a)\\1$' }, "has '\\1', which is not supported"],
    ['pattern', { type: 'string', pattern: '^(?<=a)b$' }, "has '(?<', which is not supported"],
    ['patternProperties', { patternProperties: { '\\bx': {} } }, "has '\\b', which is not supported"],
    ['patternProperties', { patternProperties: { '(': {} } }, 'is not a valid regular expression'],
    ['multipleOf', { type: 'integer', multipleOf: 0 }, 'must be a number above 0'],
    ['uniqueItems', { type: 'array', uniqueItems: 'yes' }, 'must be true or false'],
    ['dependentRequired', { dependentRequired: { a: 'b' } }, 'must hold lists of names'],
    ['dependencies', { dependencies: { a: 'b' } }, 'must hold schemas or lists of names'],
    ['items', { items: [1] }, 'must be a schema or a list of schemas'],
    ['items', { items: 1 }, 'must be a schema or a list of schemas'],
    ['$id', { $id: 'https://example.com/a' }, 'is only supported at the root'],
    ['minLength', { type: 'string', minLength: 1e6 }, 'is over the limit of 65536'],
    ['minItems', { type: 'array', minItems: 1001 }, 'is over the limit of 1000'],
    [
      'exclusiveMaximum',
      { type: 'integer', exclusiveMaximum: 1e17 },
      'is beyond the integers that numbers hold exactly',
    ],
    ['$ref', { $ref: 'https://example.com/schema' }, 'must point into the schema itself: #/...'],
    ['$ref', { $ref: '#/$defs/none' }, 'points to nothing: #/$defs/none'],
    ['$ref', { $ref: '#/$defs/__proto__' }, 'points to nothing: #/$defs/__proto__'],
    ['type', { type: 'text' }, 'must be one or more of the JSON types'],
    ['type', { type: [] }, 'must be one or more of the JSON types'],
    ['enum', { enum: [] }, 'must be a list of values'],
    ['required', { required: true }, 'must be a list of names'],
    ['properties', { properties: [] }, 'must hold schemas'],
    ['properties', { properties: { a: 1 } }, 'must hold schemas'],
    ['anyOf', { anyOf: [] }, 'must be a list of schemas'],
    ['minimum', { minimum: '1' }, 'must be a number'],
    ['maxLength', { maxLength: -1 }, 'must be a count'],
    ['minItems', { minItems: 1.5 }, 'must be a count'],
  ])('is refused with its keyword and path: %s %j', (keyword, schema, reason) => {
    expect(refusal(inProperty(schema))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: 'unsupported_schema',
      param: 'response_format.json_schema.schema',
      message: `The schema's '${keyword}' at #/properties/a~1b ${reason}.`,
    });
  });

  it.each<[string, unknown, string]>([
    ['if', { if: { minlength: 1 } }, "The schema's 'minlength' at #/if is not supported."],
    [
      'not',
      { not: { allOf: [{ $ref: 'https://example.com/a' }] } },
      "The schema's '$ref' at #/not/allOf/0 must point into the schema itself: #/....",
    ],
    [
      'contains',
      { contains: { pattern: '(a)\\1' } },
      "The schema's 'pattern' at #/contains has '\\1', which is not supported.",
    ],
    [
      'dependentSchemas',
      { dependentSchemas: { 'a/b': { format: 'emial' } } },
      "The schema's 'format' at #/dependentSchemas/a~1b 'emial' is not supported.",
    ],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { not: { $dynamicRef: '#a' } }] },
      "The schema's '$dynamicRef' at #/oneOf/1/not is not supported.",
    ],
  ])('is refused if a part can not even be checked: in %s', (_, schema, message) => {
    expect(refusal(schema)?.message).toBe(message);
  });

  it.each<[string, unknown, string]>([
    ['allowing no value', false, '# has no value that the grammar could write'],
    ['listing no value of its type', { type: 'null', enum: [1] }, '# has no value that the grammar could write'],
    [
      'bounds in the wrong order',
      { type: 'integer', minimum: 2, maximum: 1 },
      '# has no value that the grammar could write',
    ],
    ['numbers with too many digits', { type: 'integer', minimum: 1e30 }, '# has no value that the grammar could write'],
    [
      'lengths in the wrong order',
      { type: 'string', minLength: 2, maxLength: 1 },
      '# has no value that the grammar could write',
    ],
    [
      'lengths in the wrong order beside a pattern',
      { type: 'string', pattern: '^a', minLength: 2, maxLength: 1 },
      '# has no value that the grammar could write',
    ],
    [
      'counts of properties in the wrong order',
      { type: 'object', minProperties: 1, maxProperties: 0 },
      '# has no value that the grammar could write',
    ],
    ['a required property without a value', object({ a: false }, ['a']), '# has no value that the grammar could write'],
    [
      'a required property that is not allowed',
      { ...object({}, ['a']), additionalProperties: false },
      '# has no value that the grammar could write',
    ],
    [
      'types without a common value',
      { allOf: [{ type: 'null' }, { type: 'string' }] },
      '# has no value that the grammar could write',
    ],
    ['values without an end', object({ a: { $ref: '#' } }, ['a']), '# has no value that the grammar could write'],
    [
      'being one of its own branches',
      { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      '# holds itself with nothing in between',
    ],
    [
      'nested unions of objects that begin alike',
      doubling(40),
      '#/$defs/e9 has parts that begin alike, which leaves more than 256 ways open at a time',
    ],
    [
      'a union of objects that contain the union',
      {
        anyOf: [
          object({ a: { $ref: '#' } }, ['a']),
          object({ a: { anyOf: [{ $ref: '#' }, { type: 'null' }] }, b: true }, ['a', 'b']),
          { type: 'null' },
        ],
      },
      '# has parts that begin alike, which leaves more than 256 ways open at a time',
    ],
    [
      'a pattern that may match in many ways',
      { type: 'string', pattern: '^a*.{300}$' },
      '# has parts that begin alike, which leaves more than 256 ways open at a time',
    ],
    [
      'more branches than can be compared',
      { oneOf: Array.from({ length: 500 }, (_, index) => ({ const: index })) },
      '#/oneOf has too many branches to tell apart',
    ],
    ['too many levels', nested(200), '# is nested more than 128 levels deep'],
    ['too many values', { enum: Array(10_000).fill(1) }, '# has more than 10000 values'],
    ['too many characters', { enum: ['x'.repeat(600_000)] }, '# has more than 500000 characters'],
  ])('is refused for %s', (_, schema, message) => {
    expect(refusal(schema)).toMatchObject({ code: 'unsupported_schema', message: `The schema at ${message}.` });
  });

  it('is refused for a grammar that is too large', () => {
    const prefixItems = Array.from({ length: 300 }, (_, index) => ({ type: 'string', pattern: `^a{${600 + index}}$` }));
    expect(refusal({ prefixItems })?.message).toMatch(
      /^The schema at #\/prefixItems\/\d+ takes a grammar of more than 100000 parts\.$/,
    );
  });

  it('is refused for references in a circle', () => {
    const $defs = { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a', maximum: 5 } };
    expect(refusal({ $ref: '#/$defs/a', $defs })?.message).toMatch(/at #\/\$defs\/[ab].* refers to itself\.$/);
  });

  it('is refused for a name that is too long to be told from others', () => {
    const schema = { properties: { ['x'.repeat(300)]: {} }, additionalProperties: { type: 'null' } };
    expect(refusal(schema)?.message).toBe(
      "The schema's 'additionalProperties' at # is beside a name of more than 256 characters.",
    );
  });

  it('may stand in a part that nothing refers to', () => {
    expect(refusal({ type: 'null', $defs: { a: { minlength: 1 } } })).toBeUndefined();
  });

  it('takes no more than 3 seconds, however its parts refer to one another', () => {
    const names = Array.from({ length: 30 }, (_, index) => `d${index}`);
    const all: object[] = names.map((name) => ({ $ref: `#/$defs/${name}` }));
    const define = (schemaOf: (name: string, later: object[]) => unknown) =>
      Object.fromEntries(names.map((name, index) => [name, schemaOf(name, all.slice(index + 1))]));
    const start = cpuMs();
    refusal({ oneOf: all, $defs: define((name) => object({ [name]: { oneOf: all } }, [name])) });
    refusal({ anyOf: all, $defs: define((name, later) => ({ anyOf: [...later, { const: name }] })) });
    refusal({ anyOf: all, $defs: define((_, later) => ({ minLength: 1, anyOf: [...later, { type: 'string' }] })) });
    refusal({ allOf: all, $defs: define((_, [next = true]) => ({ allOf: [next, { allOf: [next] }] })) });
    refusal({ allOf: all, $defs: define((name) => object({ [name]: { allOf: all }, a: { allOf: all } })) });
    expect(cpuMs() - start).toBeLessThan(3000);
  });

  it('takes no more than 10 seconds, however its texts and names are made', { tags: 'slow' }, () => {
    const times = <T>(count: number, make: (index: number) => T) =>
      Array.from({ length: count }, (_, index) => make(index));
    const named = (count: number, prefix: string) =>
      Object.fromEntries(times(count, (index) => [`${prefix}${index}`, {}]));
    const hostile = [
      { type: 'string', pattern: `^${'(a?b?)*'.repeat(990)}$`, minLength: 5 },
      { type: 'string', minLength: 3, pattern: `${times(30, (index) => `[\\p{L}${index}]`).join('|')}\\p{N}` },
      { type: 'string', not: { enum: times(9000, (index) => `v${index}`) } },
      { enum: times(400, (index) => 'a'.repeat(1000) + index), pattern: '^(a|aa)*$' },
      { type: 'object', properties: named(2000, 'p'), patternProperties: named(2000, '^x') },
      { type: 'object', properties: named(2000, 'p'), propertyNames: { pattern: '^(a|p)*(p|\\d)*(p|\\d)*$' } },
      { type: 'integer', allOf: times(500, (index) => ({ multipleOf: index + 2 })) },
      { allOf: times(1000, (index) => ({ anyOf: [{ minimum: index }, { type: 'string' }] })) },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      { if: { $ref: '#' }, then: { $ref: '#' } },
    ];
    const start = cpuMs();
    for (const schema of hostile) refusal(schema);
    expect(cpuMs() - start).toBeLessThan(10_000);
  });

  it('takes less than a second for long names beside other properties', () => {
    const name = (index: number, letter: string) => `${index}${letter.repeat(220)}`.slice(0, 220);
    const names = (letter: string) => Array.from({ length: 300 }, (_, index) => name(index, letter));
    const properties = Object.fromEntries(names('p').map((each) => [each, { type: 'string' }]));
    const start = cpuMs();
    for (const required of [names('p'), names('r')]) {
      const schema = { type: 'object', properties, required, additionalProperties: true };
      expect(refusal(schema)?.message).toBe('The schema at # takes a grammar of more than 100000 parts.');
    }
    expect(cpuMs() - start).toBeLessThan(1000);
  });
});
