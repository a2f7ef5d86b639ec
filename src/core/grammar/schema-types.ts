import { includesType, JSON_TYPES, type JsonType, type SchemaObject, typeOfValue } from './json-schema.ts';
import { typeList } from './schema-merge.ts';

/** Keywords that speak of values of one type and let all others pass. */
const KEYWORDS_OF_TYPES: [JsonType, string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
];

/** Types of the valid values of a flat schema. */
export function allowedTypes(schema: SchemaObject): readonly JsonType[] {
  const values = listedValues(schema);
  if (values) return values.map(typeOfValue);
  return schema.type === undefined ? JSON_TYPES : typeList(schema.type);
}

/**
 * Types of the values that the grammar writes for a flat schema. A schema that speaks of objects without a `type`
 * means objects, though others are valid too.
 */
export function writtenTypes(schema: SchemaObject): readonly JsonType[] {
  if (schema.type !== undefined) return typeList(schema.type);
  const meant = KEYWORDS_OF_TYPES.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return meant.length > 0 ? meant.map(([type]) => type) : JSON_TYPES.filter((type) => type !== 'integer');
}

/** The keywords of a flat schema that say something of values of these types. */
export function keywordsOfTypes(schema: SchemaObject): string[] {
  return KEYWORDS_OF_TYPES.flatMap(([, keywords]) => keywords.filter((keyword) => keyword in schema));
}

/** The values of `enum` and `const` that the schema's `type` allows; undefined without these keywords. */
export function listedValues(schema: SchemaObject): unknown[] | undefined {
  const only = 'const' in schema ? [schema.const] : undefined;
  const listed: unknown = schema.enum ?? only;
  if (!Array.isArray(listed)) return undefined;
  const types = schema.type === undefined ? JSON_TYPES : typeList(schema.type);
  const isConst = (value: unknown) => !only || JSON.stringify(value) === JSON.stringify(schema.const);
  return listed.filter((value) => includesType(types, typeOfValue(value)) && isConst(value));
}

/** What a flat schema says by `anyOf` or `oneOf`, and the rest of it, which every branch must obey too. */
export interface Union {
  keyword: 'anyOf' | 'oneOf';
  branches: unknown[];
  rest: SchemaObject;
}

/** The union of a flat schema; of two, `anyOf`, which leaves `oneOf` to the rest. */
export function unionOf(schema: SchemaObject): Union | undefined {
  const keyword = 'anyOf' in schema ? 'anyOf' : 'oneOf';
  const { [keyword]: branches, ...rest } = schema;
  return Array.isArray(branches) ? { keyword, branches, rest } : undefined;
}
