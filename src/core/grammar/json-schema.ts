/** A JSON schema as a client sends it: https://json-schema.org/draft/2020-12, of which the grammar takes a part. */
export type JsonSchema = boolean | { [keyword: string]: unknown };

/** A schema with its keywords; never `true` or `false`. */
export type SchemaObject = { [keyword: string]: unknown };

/** A schema and where it stands, as a JSON pointer from the root: `#/properties/name`. */
export interface Place {
  schema: unknown;
  path: string;
}

/** The types of JSON values, with `integer` as the part of `number` that it is. */
export const JSON_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;

export type JsonType = (typeof JSON_TYPES)[number];

/** Whether a JSON value is an object, and so may be a schema with keywords. */
export function isRecord(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property of a record, for names that clients choose (`__proto__`, `constructor`). */
export function own(record: SchemaObject, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The place of a part of a schema. */
export function inside(place: Place, ...keys: (string | number)[]): Place {
  let { schema, path } = place;
  for (const key of keys) {
    if (Array.isArray(schema)) schema = schema[Number(key)];
    else schema = isRecord(schema) ? own(schema, String(key)) : undefined;
    path += `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return { schema, path };
}

/** Whether values of the type `type` are all values of one of `types`, by the types alone. */
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
