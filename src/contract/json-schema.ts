import { isObject as isRecord } from '../utils/json.ts';

export { isRecord };

/** A JSON schema as a client sends it: https://json-schema.org/draft/2020-12. Grammars support a part of that. */
export type JsonSchema = boolean | { [keyword: string]: unknown };

/** A schema that is an object, not `true` or `false`. */
export type SchemaObject = { [keyword: string]: unknown };

/** A schema and its place as a JSON pointer from the root: `#/properties/name`. */
export interface SchemaPlace {
  schema: unknown;
  path: string;
}

/** The types of JSON Schema. Every `integer` is also a `number`. */
export const JSON_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;

export type JsonType = (typeof JSON_TYPES)[number];

/** Returns an own property, and no inherited one: clients may choose names like `__proto__` and `constructor`. */
export function own(record: SchemaObject, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns the place that the keys lead to. Its schema is undefined if a key is missing. */
export function inside(place: SchemaPlace, ...keys: (string | number)[]): SchemaPlace {
  let { schema, path } = place;
  for (const key of keys) {
    if (Array.isArray(schema)) schema = schema[Number(key)];
    else schema = isRecord(schema) ? own(schema, String(key)) : undefined;
    path += `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return { schema, path };
}

/** True if every value of `type` also has one of `types`. */
export function includesType(types: readonly JsonType[], type: JsonType): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** The narrowest type of a JSON value. */
export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}
