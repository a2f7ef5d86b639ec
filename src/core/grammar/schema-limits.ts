import type { Refuse } from './schema-keywords.ts';

/** Deepest nesting of a schema, its values in JSON counted (each nested property is two levels). */
const MAX_DEPTH = 128;
/** Most values in a schema. */
const MAX_VALUES = 10_000;
/** Most characters of the schema's strings together. */
const MAX_CHARACTERS = 500_000;

/** Most parts of a grammar, as llama.cpp holds them. */
export const MAX_GRAMMAR_SIZE = 100_000;
/** Largest `maxLength` and `minLength`. */
export const MAX_LENGTH = 65_536;
/** Most schemas inside one another on the way to a value, by nesting or by references. */
export const MAX_NESTING = 400;
/** Largest `maxItems` and `minItems`. llama.cpp takes less than 2000 repetitions. */
export const MAX_ITEMS = 1000;
/** Most characters of a property's name beside an `additionalProperties` that lets others in. */
export const MAX_NAME_LENGTH = 256;

/** Throws where a schema is larger than a grammar is made for. */
export function checkLimits(schema: unknown, refuse: Refuse): void {
  let values = 0;
  let characters = 0;
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) throw refuse('#', null, `is nested more than ${MAX_DEPTH} levels deep`);
    if (++values > MAX_VALUES) throw refuse('#', null, `has more than ${MAX_VALUES} values`);
    if (typeof value === 'string') characters += value.length;
    if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        characters += key.length;
        visit(item, depth + 1);
      }
    }
    if (characters > MAX_CHARACTERS) throw refuse('#', null, `has more than ${MAX_CHARACTERS} characters`);
  };
  visit(schema, 0);
}
