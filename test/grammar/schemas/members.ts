import type { SchemaCase } from './schema-case.ts';

/** Objects whose names have rules, and arrays of tuples and of unequal items. */
export const members: SchemaCase[] = [
  {
    name: 'a tuple of draft 7',
    draft7: true,
    schema: {
      type: 'array',
      items: [{ type: 'string' }, { type: 'integer' }],
      additionalItems: false,
      minItems: 2,
      maxItems: 2,
    },
    writes: [['a', 1]],
    refuses: [['a'], [1, 'a'], ['a', 1, 2]],
  },
  {
    name: 'an open tuple of draft 7',
    draft7: true,
    schema: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'integer' }, minItems: 1 },
    writes: [['a'], ['a', 1, 2]],
    refuses: [[], ['a', 'b']],
  },
  {
    name: 'different listed items',
    schema: { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 1 },
    writes: [['b'], ['c', 'a'], ['a', 'b', 'c']],
    refuses: [[], ['a', 'a'], ['a', 'b', 'a']],
  },
  {
    name: 'two different days',
    schema: {
      type: 'array',
      items: { type: 'string', enum: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
      uniqueItems: true,
      minItems: 2,
      maxItems: 2,
    },
    writes: [['sun', 'mon']],
    refuses: [['mon'], ['mon', 'mon'], ['mon', 'tue', 'wed']],
  },
  {
    name: 'at most one item',
    schema: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 1 },
    writes: [[], ['a']],
    refuses: [['a', 'b']],
  },
  {
    name: 'properties of a pattern',
    schema: { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    writes: [{}, { 'x-': '', 'x-a"': 'b' }],
    refuses: [{ x: 'a' }, { 'x-a': 1 }],
  },
  {
    name: 'properties of patterns beside others',
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, '1': { minimum: 5 } },
      required: ['name'],
      patternProperties: { '^x': { type: 'string' }, '\\d$': { type: 'integer' } },
      additionalProperties: { type: 'boolean' },
    },
    writes: [{ name: 'a' }, { '1': 5, name: 'a' }, { name: 'a', xa: 'b', a1: 1, other: true }],
    refuses: [
      { name: 'a', x1: 'b' },
      { name: 'a', a1: true },
      { '1': 4, name: 'a' },
      { name: 'a', xa: true },
    ],
  },
  {
    name: 'properties of two patterns that both must obey',
    schema: {
      type: 'object',
      patternProperties: { '^a': { type: 'integer', minimum: 3 }, b$: { maximum: 5 } },
      additionalProperties: false,
    },
    writes: [{ a: 9, b: 1, ab: 4 }],
    refuses: [{ ab: 6 }, { ab: 2 }, { a: 1 }, { c: 1 }],
  },
  {
    name: 'names of a pattern',
    schema: { type: 'object', propertyNames: { pattern: '^[A-Z_]+$' }, additionalProperties: { type: 'string' } },
    writes: [{}, { PATH: '/bin' }],
    refuses: [{ path: '' }, { '': '' }],
  },
  {
    name: 'short names',
    schema: { type: 'object', propertyNames: { minLength: 1, maxLength: 3 } },
    writes: [{ abc: 1 }],
    refuses: [{ '': 1 }, { abcd: 1 }],
  },
  {
    name: 'listed names',
    schema: { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'number' } },
    writes: [{}, { a: 1 }, { a: 1, b: 2 }],
    refuses: [{ c: 1 }, { a: 'x' }],
  },
  {
    name: 'listed names that are required',
    schema: {
      type: 'object',
      propertyNames: { type: 'string', enum: ['a', 'b'] },
      additionalProperties: { type: 'number' },
      required: ['a', 'b'],
    },
    writes: [{ a: 1, b: 2 }],
    refuses: [{ a: 1 }],
  },
  {
    name: 'a property that must not be there',
    schema: { type: 'object', not: { required: ['a'] } },
    writes: [{}, { b: 1, aa: 2 }],
    refuses: [{ a: 1 }],
  },
  {
    name: 'a small map',
    schema: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
    writes: [{}, { a: 1 }, { a: 1, b: 2 }],
    refuses: [{ a: 1, b: 2, c: 3 }],
  },
  {
    name: 'all of two arrays',
    schema: {
      allOf: [
        { type: 'array', items: { minimum: 1 } },
        { items: { type: 'integer' }, maxItems: 2 },
      ],
    },
    writes: [[], [1, 2]],
    refuses: [[0], [1, 2, 3], ['a']],
  },
  {
    name: 'all of two lists of values',
    schema: { allOf: [{ enum: ['a', 'b', 1] }, { enum: ['b', 1, 2] }, { type: 'string' }] },
    writes: ['b'],
    refuses: ['a', 1],
  },
];
