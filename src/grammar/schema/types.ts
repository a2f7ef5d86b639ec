import {
  includesType,
  isRecord,
  JSON_TYPES,
  type JsonType,
  type SchemaObject,
  typeOfValue,
} from '../../contract/json-schema.ts';

/** Keywords that constrain values of one type only. */
const KEYWORDS_OF_TYPES: [JsonType, string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
  ['object', ['patternProperties', 'dependentRequired', 'dependentSchemas', 'dependencies']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** Reads the value of `type`, one name or a list of them. */
export function typeList(type: unknown): JsonType[] {
  return JSON_TYPES.filter((name) => (Array.isArray(type) ? type.includes(name) : type === name));
}

/** Returns the types that valid values of a flat schema may have. */
export function allowedTypes(schema: SchemaObject): readonly JsonType[] {
  const values = listedValues(schema);
  if (values) return values.map(typeOfValue);
  return schema.type === undefined ? JSON_TYPES : typeList(schema.type);
}

/**
 * Returns the types of the values that the grammar writes for a flat schema. If there is no `type` but, say,
 * `properties`, the grammar writes objects only. Other values are valid too, but the client means objects.
 */
export function writtenTypes(schema: SchemaObject): readonly JsonType[] {
  if (schema.type !== undefined) return typeList(schema.type);
  const meant = KEYWORDS_OF_TYPES.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
  if (namesSchemas(schema).length > 0) meant.push(['object', []]);
  if (meant.length === 0) return JSON_TYPES.filter((type) => type !== 'integer');
  return [...new Set(meant.map(([type]) => type))];
}

/**
 * Returns all values of a keyword in a flat schema: its own, and the values that `mergeSchemas` left in its `allOf`.
 */
export function everyValue(schema: SchemaObject, keyword: string): unknown[] {
  const parts = Array.isArray(schema.allOf) ? schema.allOf.filter(isRecord) : [];
  return [schema, ...parts].map((part) => part[keyword]).filter((value) => value !== undefined);
}

/** Returns the schemas of `propertyNames`, without those that only say `type: string`. */
export function namesSchemas(schema: SchemaObject): unknown[] {
  return everyValue(schema, 'propertyNames').filter(
    (names) =>
      names !== true &&
      !(isRecord(names) && Object.entries(names).every(([key, of]) => key === 'type' && of === 'string')),
  );
}

/** Returns the values of `enum` and `const` that the schema's `type` allows; undefined if it has neither keyword. */
export function listedValues(schema: SchemaObject): unknown[] | undefined {
  const only = 'const' in schema ? [schema.const] : undefined;
  const listed: unknown = schema.enum ?? only;
  if (!Array.isArray(listed)) return undefined;
  const types = schema.type === undefined ? JSON_TYPES : typeList(schema.type);
  const isConst = (value: unknown) => !only || JSON.stringify(value) === JSON.stringify(schema.const);
  return listed.filter((value) => includesType(types, typeOfValue(value)) && isConst(value));
}

/** A flat schema with `anyOf` or `oneOf`, taken apart. */
export interface Union {
  keyword: 'anyOf' | 'oneOf';
  branches: unknown[];
  /** The other keywords, which hold for every branch. */
  rest: SchemaObject;
}

/** Finds the union of a flat schema. If it has both keywords, takes `anyOf` and leaves `oneOf` in the rest. */
export function unionOf(schema: SchemaObject): Union | undefined {
  const keyword = 'anyOf' in schema ? 'anyOf' : 'oneOf';
  const { [keyword]: branches, ...rest } = schema;
  return Array.isArray(branches) ? { keyword, branches, rest } : undefined;
}
