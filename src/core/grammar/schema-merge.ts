import { includesType, isRecord, JSON_TYPES, type JsonType, own, type SchemaObject } from './json-schema.ts';
import type { Refuse } from './schema-keywords.ts';

type Merge = (some: unknown, other: unknown) => unknown;

const largest: Merge = (some, other) => Math.max(Number(some), Number(other));
const smallest: Merge = (some, other) => Math.min(Number(some), Number(other));

/** How keywords are merged that both of two schemas have. */
const MERGES = new Map<string, Merge>([
  ['minProperties', largest],
  ['maxProperties', smallest],
  ['minItems', largest],
  ['maxItems', smallest],
  ['minLength', largest],
  ['maxLength', smallest],
  ['minimum', largest],
  ['maximum', smallest],
  ['exclusiveMinimum', largest],
  ['exclusiveMaximum', smallest],
  ['required', (some, other) => [...new Set([...strings(some), ...strings(other)])]],
]);

const OBJECT_KEYWORDS = ['properties', 'additionalProperties'];

/**
 * One schema for the values that two schemas without `$ref` and `allOf` both allow, `false` if clearly none. Where
 * that can't be said in one schema, throws.
 */
export function mergeSchemas(
  some: SchemaObject,
  other: SchemaObject,
  path: string,
  refuse: Refuse,
): SchemaObject | false {
  const merged = new Map<string, unknown>(Object.entries({ ...some, ...other }));
  for (const keyword of Object.keys(some)) {
    if (!(keyword in other) || sameJson(some[keyword], other[keyword]) || OBJECT_KEYWORDS.includes(keyword)) continue;
    const merge = MERGES.get(keyword);
    if (merge) merged.set(keyword, merge(some[keyword], other[keyword]));
    else if (keyword !== 'type')
      throw refuse(path, keyword, 'is given twice for the same value, which is not supported');
  }
  for (const [one, two] of [
    [some, other],
    [other, some],
  ] as const) {
    // How many items `prefixItems` takes from `items` is only known within one schema.
    if ('prefixItems' in one && 'items' in two && !('prefixItems' in two)) {
      throw refuse(path, 'prefixItems', "beside another schema's 'items' is not supported");
    }
  }
  mergeProperties(some, other, merged);
  if ('type' in some && 'type' in other) {
    const types = commonTypes(typeList(some.type), typeList(other.type));
    if (types.length === 0) return false;
    merged.set('type', types);
  }
  return Object.fromEntries(merged);
}

/** A property must be right for both schemas, in each by its name or else by `additionalProperties`. */
function mergeProperties(some: SchemaObject, other: SchemaObject, merged: Map<string, unknown>): void {
  const [declared, otherDeclared] = [record(some.properties), record(other.properties)];
  if (some.properties !== undefined || other.properties !== undefined) {
    const names = new Set([...Object.keys(declared), ...Object.keys(otherDeclared)]);
    const properties = Array.from(names, (name): [string, unknown] => [
      name,
      both(own(declared, name) ?? some.additionalProperties, own(otherDeclared, name) ?? other.additionalProperties),
    ]);
    merged.set('properties', Object.fromEntries(properties));
  }
  if (some.additionalProperties !== undefined || other.additionalProperties !== undefined) {
    merged.set('additionalProperties', both(some.additionalProperties, other.additionalProperties));
  }
}

/** A schema for what is right for both; an absent one takes everything. */
function both(some: unknown, other: unknown): unknown {
  if (some === false || other === false) return false;
  if (other === undefined || other === true) return some ?? true;
  if (some === undefined || some === true) return other;
  // Each part once and in one order: schemas that hold themselves then come back to what is known of them.
  const parts = [...partsOf(some), ...partsOf(other)].map((part): [string, unknown] => [JSON.stringify(part), part]);
  const unique = [...new Map(parts)].sort(([text], [otherText]) => (text < otherText ? -1 : 1));
  const [only] = unique;
  return unique.length === 1 && only ? only[1] : { allOf: unique.map(([, part]) => part) };
}

/** The schemas that one schema asks to be all obeyed. */
function partsOf(schema: unknown): unknown[] {
  const isOnlyParts = isRecord(schema) && Array.isArray(schema.allOf) && Object.keys(schema).length === 1;
  return isOnlyParts && Array.isArray(schema.allOf) ? schema.allOf.flatMap(partsOf) : [schema];
}

/** The types that a schema's `type` allows. */
export function typeList(type: unknown): JsonType[] {
  return JSON_TYPES.filter((name) => (Array.isArray(type) ? type.includes(name) : type === name));
}

/** The types of the values that have one of both; an integer is a number. */
export function commonTypes(some: readonly JsonType[], other: readonly JsonType[]): JsonType[] {
  return JSON_TYPES.filter((type) => includesType(some, type) && includesType(other, type));
}

function record(value: unknown): SchemaObject {
  return isRecord(value) ? value : {};
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function sameJson(some: unknown, other: unknown): boolean {
  return JSON.stringify(some) === JSON.stringify(other);
}
