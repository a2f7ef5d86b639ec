import type { JsonSchema } from '../../../src/contract/json-schema.ts';
import type { SchemaCase } from './schema-case.ts';

const tree: JsonSchema = {
  type: 'object',
  properties: {
    op: { enum: ['+', '-'] },
    left: { $ref: '#/$defs/node' },
    right: { $ref: '#/$defs/node' },
  },
  required: ['op', 'left', 'right'],
};

/** Schemas that combine other schemas: unions, `allOf` and references. */
export const combinations: SchemaCase[] = [
  {
    name: 'any of some types',
    schema: { anyOf: [{ type: 'string', maxLength: 2 }, { type: 'integer', minimum: 3 }, { type: 'null' }] },
    writes: ['ab', 3, null],
    refuses: ['abc', 2],
  },
  {
    name: 'any of schemas that overlap',
    schema: { anyOf: [{ type: 'integer', maximum: 5 }, { type: 'integer', minimum: 3 }, { type: 'number' }] },
    writes: [1, 4, 9, 0.5],
  },
  {
    name: 'any of more than the rest allows',
    schema: {
      type: 'object',
      properties: { a: { type: 'null' }, b: { type: 'null' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    writes: [{ a: null }, { b: null }, { a: null, b: null }],
    refuses: [{}],
  },
  {
    name: 'one of some types',
    schema: {
      oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }, { type: 'array', items: { type: 'null' } }],
    },
    writes: ['', 1, null, [null]],
  },
  {
    name: 'one of some constants',
    schema: { oneOf: [{ const: 'a', title: 'A' }, { const: 'b', description: 'B' }, { enum: [1, 2] }] },
    writes: ['a', 'b', 2],
    refuses: ['c'],
  },
  {
    name: 'one of objects told apart by a property',
    schema: {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { type: 'number', minimum: 0 } },
          required: ['kind', 'radius'],
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: { kind: { const: 'square' }, side: { type: 'integer' } },
          required: ['kind', 'side'],
        },
        { $ref: '#/$defs/empty' },
      ],
      $defs: { empty: { type: 'object', properties: { kind: { enum: ['none', 'point'] } }, required: ['kind'] } },
    },
    writes: [{ kind: 'circle', radius: 0.5 }, { kind: 'square', side: 2 }, { kind: 'point' }],
    refuses: [{ kind: 'circle', side: 2 }, {}],
  },
  {
    name: 'one of objects told apart by what they require',
    schema: {
      oneOf: [
        { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      ],
    },
    writes: [{ id: 1 }, { name: 'x' }],
    refuses: [{}],
  },
  {
    name: 'one of branches beside other keywords',
    schema: {
      type: ['string', 'integer', 'null'],
      maxLength: 3,
      oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0, maximum: 20 }],
    },
    writes: ['abc', 20],
    refuses: [null, 'abcd', 21],
  },
  {
    name: 'all of one',
    schema: {
      allOf: [{ $ref: '#/$defs/name' }],
      description: 'A name',
      $defs: { name: { type: 'string', minLength: 1, maxLength: 9 } },
    },
    writes: ['a'],
    refuses: [''],
  },
  {
    name: 'all of several objects',
    schema: {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer', minimum: 0 } }, required: ['a'] },
        { properties: { a: { maximum: 9 }, b: { type: 'string' } } },
      ],
      required: ['b'],
    },
    writes: [{ a: 9, b: 'x' }],
    refuses: [{ a: 10, b: 'x' }, { a: 1 }, { b: 'x' }],
  },
  {
    name: 'all of objects of which one is closed',
    schema: {
      allOf: [
        { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: false },
        { type: 'object', properties: { a: true, b: { type: 'null' } } },
      ],
    },
    writes: [{}, { a: null }],
    refuses: [{ b: null }],
  },
  {
    name: 'all of two maps',
    schema: {
      allOf: [
        { type: 'object', additionalProperties: { type: ['integer', 'null'] } },
        { type: 'object', additionalProperties: { type: ['number', 'string'], maximum: 9 } },
      ],
    },
    writes: [{ a: 9 }],
    refuses: [{ a: null }, { a: 10 }, { a: 'x' }],
  },
  {
    name: 'a reference beside other keywords',
    schema: { $ref: '#/definitions/n', maximum: 5, definitions: { n: { type: 'integer', minimum: 1 } } },
    writes: [1, 5],
    refuses: [0, 6],
  },
  {
    name: 'a reference by an escaped path',
    schema: { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { const: 1 } } },
    writes: [1],
  },
  {
    name: 'a list that holds itself',
    schema: {
      type: 'object',
      properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['value', 'next'],
      additionalProperties: false,
      strict: true,
    },
    writes: [{ value: 1, next: { value: 2, next: null } }],
    refuses: [{ value: 1 }],
  },
  {
    name: 'a tree',
    schema: { $ref: '#/$defs/node', $defs: { node: { anyOf: [tree, { type: 'number' }] } } },
    writes: [1, { op: '+', left: 1, right: { op: '-', left: 2, right: 3 } }],
  },
  {
    name: 'a tree of children',
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' }, maxItems: 3 } },
      required: ['name', 'children'],
    },
    writes: [{ name: 'a', children: [{ name: 'b', children: [] }] }],
  },
  {
    name: 'nodes of several kinds that hold one another',
    schema: {
      $defs: {
        node: { oneOf: [{ $ref: '#/$defs/call' }, { $ref: '#/$defs/literal' }, { $ref: '#/$defs/name' }] },
        call: {
          type: 'object',
          properties: {
            kind: { const: 'call' },
            callee: { $ref: '#/$defs/node' },
            arguments: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['kind', 'callee', 'arguments'],
        },
        literal: {
          type: 'object',
          properties: { kind: { const: 'literal' }, value: { type: ['number', 'string'] } },
          required: ['kind', 'value'],
        },
        name: {
          type: 'object',
          properties: { kind: { const: 'name' }, name: { type: 'string' } },
          required: ['kind', 'name'],
        },
      },
      $ref: '#/$defs/node',
    },
    writes: [{ kind: 'call', callee: { kind: 'name', name: 'f' }, arguments: [{ kind: 'literal', value: 1 }] }],
  },
  {
    name: 'a function to call, as OpenAI has it',
    schema: {
      type: 'object',
      title: 'Weather',
      description: 'Weather of a place',
      properties: {
        location: { type: 'string', description: 'The city', default: 'Paris', examples: ['Rome'] },
        unit: { type: ['string', 'null'], enum: ['celsius', 'fahrenheit', null] },
        days: {
          type: 'array',
          items: { type: 'string', format: 'date' },
          minItems: 1,
          maxItems: 7,
          uniqueItems: false,
        },
      },
      required: ['location', 'unit', 'days'],
      additionalProperties: false,
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      'x-order': 1,
    },
    writes: [{ location: 'Berlin', unit: null, days: ['2025-01-31'] }],
    refuses: [{ location: 'Berlin', unit: 'kelvin', days: ['2025-01-31'] }],
  },
  {
    name: 'many optional properties',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 120 }, (_, index) => [`option${index}`, { type: 'boolean' }]),
      ),
    },
    writes: [{}, { option0: true, option119: false }],
    refuses: [{ option120: true }],
  },
  {
    name: 'many listed values',
    schema: { enum: Array.from({ length: 1000 }, (_, index) => `value ${index * 7}`) },
    writes: ['value 0', 'value 6993'],
    refuses: ['value 1'],
  },
];
