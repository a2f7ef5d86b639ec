import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.ts';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { checkValue, UNFINISHED } from '../../src/grammar/check/check.ts';
import { createSchemaGrammar, type SchemaGrammar } from '../../src/grammar/schema-grammar.ts';
import { makeRandom } from '../kit/random.ts';
import { repeats } from '../support/repeats.ts';
import { parseGrammar } from './gbnf.ts';
import { createWriter } from './gbnf-writer.ts';
import { createValidator } from './validation.ts';

const RUNS = repeats(75, 600);

const name = fc.constantFrom('a', 'ab', 'b', 'kind');
const names = fc.uniqueArray(name, { maxLength: 3 });
const count = fc.nat({ max: 3 });
const value = fc.oneof(
  fc.constantFrom('a', 'b', '', 0, 1, 1.5, null, true),
  fc.constantFrom({}, { a: 1 }, { kind: 'a' }, [], ['a']),
);
const type = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null');
const types = fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }));
const bound = fc.constantFrom(-12, -1, 0, 0.5, 3, 1000);

const step = fc.constantFrom(1, 3, 0.5, 0.01, 7919);
const nameRule = fc.constantFrom(
  { pattern: '^a' },
  { maxLength: 1 },
  { enum: ['a', 'b', 'c'] },
  { not: { const: 'a' } },
);

/** Random schemas. Their keywords often fit together, but not always. */
const { schema } = fc.letrec<{ schema: unknown; object: unknown }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const properties = fc.dictionary(name, tie('schema'), { maxKeys: 3 });
  const byPattern = fc.dictionary(fc.constantFrom('^a', 'b$', '^(?!kind)'), tie('schema'), { maxKeys: 2 });
  const optional = { requiredKeys: [] as [] };
  return {
    object: fc.record(
      {
        type: fc.constant('object'),
        properties,
        required: names,
        additionalProperties: tie('schema'),
        minProperties: count,
        maxProperties: count,
      },
      { requiredKeys: ['properties'] },
    ),
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.boolean(),
      fc.record({ type: types }),
      fc.record({ const: value }),
      fc.record(
        { type: types, enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: JSON.stringify }) },
        { requiredKeys: ['enum'] },
      ),
      fc.record(
        { type: types, minLength: count, maxLength: count, pattern: fc.constantFrom('^a', 'b$', '^[ab]{1,2}$') },
        optional,
      ),
      fc.record(
        { type: types, minimum: bound, maximum: bound, exclusiveMinimum: bound, exclusiveMaximum: bound },
        optional,
      ),
      fc.record({ type: types, items: tie('schema'), minItems: count, maxItems: count }, optional),
      fc.record(
        { prefixItems: list, items: tie('schema'), minItems: count, maxItems: count },
        { requiredKeys: ['prefixItems'] },
      ),
      tie('object'),
      tie('object'),
      fc.record({ type: types, not: tie('schema') }, { requiredKeys: ['not'] }),
      fc.record({ type: types, multipleOf: step, minimum: bound, maximum: bound }, { requiredKeys: ['multipleOf'] }),
      fc.record({ items: tie('schema'), uniqueItems: fc.constant(true), maxItems: count }, { requiredKeys: ['items'] }),
      fc.record(
        // With less, Ajv 8.20 takes an empty array for what the array before it was.
        { items: tie('schema'), contains: tie('schema'), minContains: fc.constantFrom(2, 3) },
        { requiredKeys: ['contains', 'minContains'] },
      ),
      fc.record(
        { properties, required: names, patternProperties: byPattern, additionalProperties: tie('schema') },
        { requiredKeys: ['patternProperties'] },
      ),
      fc.record(
        { type: fc.constant('object'), properties, propertyNames: nameRule, additionalProperties: tie('schema') },
        { requiredKeys: ['type', 'propertyNames'] },
      ),
      fc.record(
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
        { properties, if: tie('schema'), then: tie('schema'), else: tie('schema') },
        { requiredKeys: ['if', 'then'] },
      ),
      fc.record({ properties, dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }) }),
      fc.record({ type: types, anyOf: list }, { requiredKeys: ['anyOf'] }),
      fc.record({ type: types, oneOf: list }, { requiredKeys: ['oneOf'] }),
      fc.record({ allOf: list, properties }, { requiredKeys: ['allOf'] }),
      fc.record({ $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b'), required: names }, { requiredKeys: ['$ref'] }),
    ),
  };
});

const whole = fc.record({ $defs: fc.record({ a: schema, b: schema }), allOf: fc.tuple(schema) });

function grammarOf(schema: JsonSchema): SchemaGrammar | undefined {
  try {
    return createSchemaGrammar(schema, { param: 'schema' });
  } catch (error) {
    if (error instanceof ApiError && error.data.code === 'unsupported_schema') return undefined;
    throw error;
  }
}

/** Returns undefined if Ajv never ends, which happens for some schemas that refer to themselves. */
function unlessEndless<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Compares our check of a value with Ajv's. Each leaves out other parts on which nothing depends, so for some schemas that
 * refer to themselves only one of them ends.
 */
function agree(schema: JsonSchema, grammar: SchemaGrammar, value: unknown, valid: boolean | undefined): void {
  const violations = checkValue(schema, value);
  if (valid === undefined) return;
  if (violations.includes(UNFINISHED)) {
    expect(JSON.stringify(schema)).toContain('"$ref"');
    return;
  }
  const why = `${JSON.stringify(value)}: ${JSON.stringify(violations)}`;
  expect(valid, why).toBe(violations.length === 0);
  if (!grammar.isPartial) expect(valid, why).toBe(true);
}

describe('the grammar of any schema', () => {
  it('writes nothing but valid values, or the check finds the others, or the schema is refused', {
    timeout: 120_000,
  }, () => {
    let made = 0;
    fc.assert(
      fc.property(whole, fc.integer(), (schema, seed) => {
        const grammar = grammarOf(schema);
        if (!grammar) return;
        made++;
        const write = createWriter(parseGrammar(grammar.rules), grammar.rule, 6);
        const isValid = unlessEndless(() => createValidator(schema));
        if (!isValid) return;
        const random = makeRandom(seed);
        for (let time = 0; time < 20; time++) {
          const text = write(random);
          const value = JSON.parse(text);
          const valid = unlessEndless(() => isValid(value));
          agree(schema, grammar, value, valid);
        }
      }),
      { numRuns: RUNS },
    );
    expect(made).toBeGreaterThan(0.3 * RUNS);
  });
});
