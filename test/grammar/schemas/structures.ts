import type { JsonSchema } from '../../../src/contract/json-schema.ts';
import type { SchemaCase } from './schema-case.ts';

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    email: { type: 'string' },
  },
  required: ['name'],
  additionalProperties: false,
};

/** Schemas of objects and arrays. */
export const structures: SchemaCase[] = [
  { name: 'any object', schema: { type: 'object' }, writes: [{}, { a: 1, b: { c: [] } }], refuses: [[]] },
  {
    name: 'an object without properties',
    schema: { type: 'object', properties: {} },
    writes: [{}],
    refuses: [{ a: 1 }],
  },
  {
    name: 'an object with optional properties',
    schema: person,
    writes: [{ name: 'A' }, { name: '', age: 150 }, { name: 'x', email: '' }, { name: 'x', age: 1, email: '' }],
    refuses: [{}, { age: 1 }, { name: 'x', age: 151 }, { name: 'x', other: 1 }],
  },
  {
    name: 'an object with only optional properties',
    schema: { type: 'object', properties: { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } } },
    writes: [
      {},
      { a: null },
      { b: null },
      { c: null },
      { a: null, c: null },
      { b: null, c: null },
      { a: null, b: null, c: null },
    ],
    refuses: [{ a: null, a2: null }, { d: null }],
  },
  {
    name: 'a required property last',
    schema: {
      type: 'object',
      properties: { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } },
      required: ['c'],
    },
    writes: [{ c: null }, { a: null, c: null }, { b: null, c: null }, { a: null, b: null, c: null }],
    refuses: [{}, { a: null }, { a: null, b: null }],
  },
  {
    name: 'a required property that is not declared',
    schema: { type: 'object', properties: { a: { type: 'null' } }, required: ['b'] },
    writes: [{ a: null, b: [1] }, { b: 1 }],
    refuses: [{ a: null }],
  },
  {
    name: 'names of all kinds',
    schema: {
      type: 'object',
      properties: {
        'a"b': { const: 1 },
        '\\': { const: 1 },
        'ü\n': { const: 1 },
        '\u0000': { const: 1 },
        constructor: { const: 1 },
      },
      required: ['a"b', '\\', 'ü\n', '\u0000', 'constructor'],
    },
    writes: [{ 'a"b': 1, '\\': 1, 'ü\n': 1, '\u0000': 1, constructor: 1 }],
  },
  {
    name: 'a map',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
    writes: [{}, { a: 1, 'b"': 2 }],
    refuses: [{ a: 'x' }],
  },
  {
    name: 'a map that is not empty',
    schema: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
    writes: [{ a: 1 }],
    refuses: [{}],
  },
  {
    name: 'a map with properties',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, 'ab"': { type: 'null' }, é: { type: 'null' } },
      required: ['a'],
      additionalProperties: { type: 'integer' },
    },
    writes: [
      { a: 'x' },
      { a: 'x', b: 1 },
      { a: 'x', aa: 1, ab: 2, 'ab"c': 3, '': 4, é2: 5 },
      { a: 'x', 'ab"': null, z: 1 },
    ],
    refuses: [{ a: 1 }, { b: 1 }, { a: 'x', 'ab"': 1 }, { a: 'x', é: 1 }],
  },
  {
    name: 'an open object',
    schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
    writes: [{ a: 'x', b: [null] }, { c: 1 }],
    refuses: [{ a: 1 }],
  },
  {
    name: 'a map with a property that holds it',
    schema: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: { $ref: '#' } },
    writes: [{ name: 'a', n: { x: {} } }],
  },
  {
    name: 'counts of properties that hold anyway',
    schema: { ...person, minProperties: 1, maxProperties: 3 } as JsonSchema,
    writes: [{ name: 'A' }],
  },
  {
    name: 'a property that can have no value',
    schema: { type: 'object', properties: { a: false, b: { type: 'null' } } },
    writes: [{}, { b: null }],
    refuses: [{ a: 1 }],
  },
  { name: 'any array', schema: { type: 'array' }, writes: [[], [1, 'a', [null]]], refuses: [{}] },
  {
    name: 'an array of items',
    schema: { type: 'array', items: { type: 'boolean' } },
    writes: [[], [true], [true, false, true]],
    refuses: [[1]],
  },
  {
    name: 'an array of some items',
    schema: { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 4 },
    writes: [
      [true, true],
      [true, true, false, true],
    ],
    refuses: [[true], [true, true, true, true, true]],
  },
  {
    name: 'an array that is not empty',
    schema: { type: 'array', items: { type: 'null' }, minItems: 1 },
    writes: [[null], [null, null, null]],
    refuses: [[]],
  },
  { name: 'an empty array', schema: { type: 'array', maxItems: 0 }, writes: [[]], refuses: [[1]] },
  {
    name: 'many items',
    schema: { type: 'array', items: { type: 'null' }, minItems: 900, maxItems: 1000 },
    writes: [Array(900).fill(null), Array(1000).fill(null)],
    refuses: [Array(899).fill(null), Array(1001).fill(null)],
  },
  {
    name: 'a tuple',
    schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
    writes: [['a', 1]],
    refuses: [['a'], ['a', 1, 2], [1, 'a']],
  },
  {
    name: 'an open tuple',
    schema: {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'null' }],
      items: { type: 'integer' },
      maxItems: 4,
    },
    writes: [[], ['a'], ['a', null], ['a', null, 1, 2]],
    refuses: [
      ['a', 1],
      ['a', null, 1, 2, 3],
    ],
  },
  {
    name: 'a tuple of which one item has no value',
    schema: { type: 'array', prefixItems: [{ type: 'null' }, false], items: true },
    writes: [[], [null]],
    refuses: [[null, 1]],
  },
  {
    name: 'a long tuple cut short',
    schema: { type: 'array', prefixItems: [{ type: 'null' }, { type: 'null' }, { type: 'null' }], maxItems: 2 },
    writes: [[], [null, null]],
    refuses: [[null, null, null]],
  },
];
