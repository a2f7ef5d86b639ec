import type { SchemaObject } from '../../contract/json-schema.ts';
import type { Refuse } from './refuse.ts';

/** Deepest nesting of a schema's JSON. A nested property is two levels: `properties` and its name. */
const MAX_DEPTH = 128;
/** Most JSON values in a schema. */
const MAX_VALUES = 10_000;
/** Most characters of all strings and names in a schema together. */
const MAX_CHARACTERS = 500_000;

/** Most parts of a grammar, counted by `expressionSize`. */
export const MAX_GRAMMAR_SIZE = 100_000;
/** Most steps of work on the texts of one schema, and on one of them. All together take less than a second. */
export const MAX_TEXT_STEPS = 750_000;
export const MAX_STEPS_OF_TEXT = 250_000;
/** Largest `maxLength` and `minLength`. */
export const MAX_LENGTH = 65_536;
/** Most schemas inside one another, by nesting or by references. */
export const MAX_NESTING = 400;
/** Largest `maxItems` and `minItems`. llama.cpp refuses 2000 repetitions. */
export const MAX_ITEMS = 1000;
/** Longest property name, in characters, in a schema that allows additional properties. */
export const MAX_NAME_LENGTH = 256;

/** Throws a 400 `ApiError` for a schema that is too large to make a grammar of. */
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

/** Reads a keyword that is a count; undefined if it is absent. Throws a 400 `ApiError` above the limit. */
export function countUpTo(
  limit: number,
  schema: SchemaObject,
  keyword: string,
  path: string,
  refuse: Refuse,
): number | undefined {
  if (schema[keyword] === undefined) return undefined;
  const value = Number(schema[keyword]);
  if (value > limit) throw refuse(path, keyword, `is over the limit of ${limit}`);
  return value;
}
