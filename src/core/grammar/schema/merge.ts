import { includesType, isRecord, JSON_TYPES, type JsonType, own, type SchemaObject } from '../json-schema.ts';
import type { Refuse } from './refuse.ts';
import { typeList } from './types.ts';

type Merge = (some: unknown, other: unknown) => unknown;

const largest: Merge = (some, other) => Math.max(Number(some), Number(other));
const smallest: Merge = (some, other) => Math.min(Number(some), Number(other));

/** Merges the values of a keyword that both schemas have. */
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
 * Merges two flat schemas into one for the values that both allow; `false` if their types have nothing in common.
 * Throws a 400 `ApiError` if one schema can't say what both say.
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
    else if (keyword !== 'type') {
      throw refuse(path, keyword, 'is given twice for the same value, which is not supported');
    }
  }
  for (const [one, two] of [
    [some, other],
    [other, some],
  ] as const) {
    // `items` covers what its own schema's `prefixItems` leaves. The merged schema would mix that up.
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

/** Merges the properties. Each must be valid by both schemas: by its own entry or else by `additionalProperties`. */
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

/** Makes a schema for values that both schemas allow. An absent schema allows everything. */
function both(some: unknown, other: unknown): unknown {
  if (some === false || other === false) return false;
  if (other === undefined || other === true) return some ?? true;
  if (some === undefined || some === true) return other;
  // Removes duplicates and fixes the order: a schema that contains itself then gives an equal one, whose rule exists.
  const parts = [...partsOf(some), ...partsOf(other)].map((part): [string, unknown] => [JSON.stringify(part), part]);
  const unique = [...new Map(parts)].sort(([text], [otherText]) => (text < otherText ? -1 : 1));
  const [only] = unique;
  return unique.length === 1 && only ? only[1] : { allOf: unique.map(([, part]) => part) };
}

/** Splits a schema that is nothing but an `allOf`; any other schema is its own only part. */
function partsOf(schema: unknown): unknown[] {
  const isOnlyParts = isRecord(schema) && Array.isArray(schema.allOf) && Object.keys(schema).length === 1;
  return isOnlyParts && Array.isArray(schema.allOf) ? schema.allOf.flatMap(partsOf) : [schema];
}

/** The types in both lists. An integer is also a number, so `integer` and `number` have `integer` in common. */
function commonTypes(some: readonly JsonType[], other: readonly JsonType[]): JsonType[] {
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
