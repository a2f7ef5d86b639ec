import type { SchemaCase } from './schema-case.ts';

const ab = { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } };

/** Schemas that no grammar can say in full: some values slip through, and the check finds them. */
export const checkedSchemas: SchemaCase[] = [
  {
    name: 'different strings',
    schema: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    writes: [['a', 'b']],
    refuses: [[1]],
    slips: [['a', 'a']],
  },
  {
    name: 'different values of many',
    schema: { type: 'array', items: { enum: Array.from({ length: 20 }, (_, index) => index) }, uniqueItems: true },
    writes: [[1, 0, 19]],
    refuses: [[20]],
    slips: [[1, 1]],
  },
  {
    name: 'an array that contains something',
    schema: { type: 'array', items: { type: 'integer' }, contains: { const: 5 }, maxContains: 1 },
    writes: [[1, 5]],
    refuses: [['a']],
    slips: [[1], [5, 5]],
  },
  {
    name: 'a branch that depends on a property',
    schema: {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, x: { type: 'integer' } },
      required: ['kind'],
      if: { properties: { kind: { const: 'a' } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { required: ['x'] },
      else: { properties: { x: { maximum: 5 } } },
    },
    writes: [{ kind: 'a', x: 9 }, { kind: 'b' }, { kind: 'b', x: 5 }],
    refuses: [{ x: 1 }],
    slips: [{ kind: 'a' }, { kind: 'b', x: 6 }],
  },
  {
    name: 'a property that needs another',
    schema: { type: 'object', properties: ab, dependentRequired: { a: ['b'] } },
    writes: [{}, { b: 1 }, { a: 1, b: 2 }],
    slips: [{ a: 1 }],
  },
  {
    name: 'a property that asks more of the object',
    schema: { type: 'object', properties: ab, dependentSchemas: { a: { properties: { b: { minimum: 5 } } } } },
    writes: [{ b: 1 }, { a: 1, b: 5 }],
    slips: [{ a: 1, b: 1 }],
  },
  {
    name: 'dependencies of draft 7',
    draft7: true,
    schema: { type: 'object', properties: ab, dependencies: { a: ['b'], c: { required: ['a'] } } },
    writes: [{ a: 1, b: 1, c: 1 }],
    slips: [{ a: 1 }, { c: 1 }],
  },
  {
    name: 'a count of properties',
    schema: { type: 'object', properties: ab, minProperties: 2, maxProperties: 2 },
    writes: [
      { a: 1, b: 1 },
      { a: 1, c: 1 },
    ],
    slips: [{ a: 1 }, { a: 1, b: 1, c: 1 }],
  },
  {
    name: 'branches that overlap, of which one must fit',
    schema: {
      oneOf: [
        { type: 'integer', minimum: 0 },
        { type: 'integer', maximum: 9 },
      ],
    },
    writes: [10, -1],
    refuses: ['a'],
    slips: [5],
  },
  {
    name: 'two unions',
    schema: {
      allOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { anyOf: [{ type: 'integer' }, { const: 'a' }] }],
    },
    writes: ['a', 1],
    refuses: [null],
    slips: ['b'],
  },
  {
    name: 'a tuple and other items',
    schema: { type: 'array', allOf: [{ prefixItems: [{ type: 'integer' }, true] }, { items: { minimum: 5 } }] },
    writes: [[5], [5, 6]],
    refuses: [['a']],
    slips: [[1]],
  },
  {
    name: 'patterns beside a closed object',
    schema: {
      type: 'object',
      allOf: [{ patternProperties: { '^a': { type: 'integer' } } }, { additionalProperties: { minimum: 5 } }],
    },
    writes: [{ a: 5 }],
    slips: [{ a: 1 }],
  },
  {
    name: 'a multiple of a large prime',
    schema: { type: 'integer', multipleOf: 7919, minimum: 1 },
    writes: [7919, 15_838],
    refuses: [0],
    slips: [7920],
  },
  {
    name: 'a number that is not zero',
    schema: { type: 'number', not: { const: 0 } },
    writes: [1, 0.5],
    slips: [0],
  },
  {
    name: 'an object that must not have two properties at once',
    schema: { type: 'object', properties: ab, not: { required: ['a', 'b'] } },
    writes: [{ a: 1 }, { b: 1, c: 1 }],
    slips: [{ a: 1, b: 1 }],
  },
  {
    name: 'many items',
    schema: { type: 'array', items: { type: 'null' }, maxItems: 1001 },
    writes: [[null]],
    slips: [Array(1002).fill(null)],
  },
  {
    name: 'a bound of too many digits',
    schema: { type: 'number', exclusiveMinimum: 1e-20, maximum: 1 },
    writes: [0.5, 1],
    refuses: [1.5],
    slips: [0],
  },
];
