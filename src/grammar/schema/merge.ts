import {
  includesType,
  isRecord,
  JSON_TYPES,
  type JsonType,
  own,
  type SchemaObject,
} from '../../contract/json-schema.ts';
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
  ['enum', (some, other) => listed(some).filter((value) => listed(other).some((one) => sameJson(one, value)))],
  ['allOf', (some, other) => unique([...listed(some), ...listed(other)])],
]);

/** Keywords whose meaning depends on one another. */
const GROUPS = [
  ['properties', 'patternProperties', 'additionalProperties'],
  ['items', 'prefixItems'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
] as const;
const [OBJECT_GROUP, ARRAY_GROUP] = GROUPS;

/**
 * Merges two flat schemas into one for the values that both allow; `false` if their types have nothing in common.
 * Keywords that can't be merged stay in the `allOf` of the result, a part for each keyword or group of keywords.
 */
export function mergeSchemas(some: SchemaObject, other: SchemaObject): SchemaObject | false {
  const merged = new Map<string, unknown>(Object.entries({ ...some, ...other }));
  const parts: SchemaObject[] = [];
  for (const keywords of clashes(some, other)) {
    for (const keyword of keywords) {
      merged.delete(keyword);
      if (keyword in some) merged.set(keyword, some[keyword]);
    }
    parts.push(only(other, keywords));
  }
  const isApart = (keyword: string) => parts.some((part) => keyword in part);
  for (const keyword of Object.keys(some)) {
    const merge = MERGES.get(keyword);
    if (!merge || !(keyword in other) || sameJson(some[keyword], other[keyword])) continue;
    merged.set(keyword, merge(some[keyword], other[keyword]));
  }
  if (!OBJECT_GROUP.some(isApart)) mergeProperties(some, other, merged);
  if (!ARRAY_GROUP.some(isApart) && 'items' in some && 'items' in other) {
    merged.set('items', both(some.items, other.items));
  }
  if (parts.length > 0) merged.set('allOf', [...listed(merged.get('allOf')), ...parts]);
  if ('type' in some && 'type' in other) {
    const types = commonTypes(typeList(some.type), typeList(other.type));
    if (types.length === 0) return false;
    merged.set('type', types);
  }
  return Object.fromEntries(merged);
}

/** Returns the keywords, or groups of keywords, that can't be merged. */
function clashes(some: SchemaObject, other: SchemaObject): (readonly string[])[] {
  const differs = (keyword: string) => keyword in other && !sameJson(some[keyword], other[keyword]);
  const grouped: string[] = GROUPS.flatMap((keywords) => [...keywords]);
  const single = Object.keys(some).filter(
    (keyword) => differs(keyword) && !grouped.includes(keyword) && !MERGES.has(keyword) && keyword !== 'type',
  );
  const groups = GROUPS.filter((keywords) => {
    if (keywords === OBJECT_GROUP) return mixesNames(some, other) || mixesNames(other, some);
    const isMixed = keywords === ARRAY_GROUP ? mixesItems(some, other) || mixesItems(other, some) : false;
    const isPlain = keywords === ARRAY_GROUP && !('prefixItems' in some) && !('prefixItems' in other);
    return (
      isMixed || (!isPlain && keywords.some((keyword) => keyword in some && differs(keyword))) || isSplit(keywords)
    );
  });
  /** True if each schema has keywords of a group that belong to its own others. */
  function isSplit(keywords: readonly string[]): boolean {
    if (keywords === ARRAY_GROUP) return false;
    const [has, otherHas] = [some, other].map((schema) => keywords.filter((keyword) => keyword in schema).join());
    return has !== '' && otherHas !== '' && has !== otherHas;
  }
  return [...groups, ...single.map((keyword) => [keyword])];
}

/**
 * `additionalProperties` applies to the names that its own schema's `patternProperties` do not match. A merge would
 * lose that.
 */
function mixesNames(some: SchemaObject, other: SchemaObject): boolean {
  return 'patternProperties' in some && other.additionalProperties !== undefined && other.additionalProperties !== true;
}

/** `items` applies to the items after its own schema's `prefixItems`. A merge would lose that. */
function mixesItems(some: SchemaObject, other: SchemaObject): boolean {
  return 'prefixItems' in some && 'items' in other && !('prefixItems' in other);
}

function only(schema: SchemaObject, keywords: readonly string[]): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
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
  if (some.patternProperties !== undefined && other.patternProperties !== undefined) {
    const [patterns, otherPatterns] = [record(some.patternProperties), record(other.patternProperties)];
    const names = new Set([...Object.keys(patterns), ...Object.keys(otherPatterns)]);
    const entries = Array.from(names, (name) => [name, both(own(patterns, name), own(otherPatterns, name))]);
    merged.set('patternProperties', Object.fromEntries(entries));
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

/** Returns the parts of a schema that has only `allOf`, else the schema itself as the only part. */
function partsOf(schema: unknown): unknown[] {
  const isOnlyParts = isRecord(schema) && Array.isArray(schema.allOf) && Object.keys(schema).length === 1;
  return isOnlyParts && Array.isArray(schema.allOf) ? schema.allOf.flatMap(partsOf) : [schema];
}

/** The types in both lists. An integer is also a number, so `integer` and `number` have `integer` in common. */
function commonTypes(some: readonly JsonType[], other: readonly JsonType[]): JsonType[] {
  return JSON_TYPES.filter((type) => includesType(some, type) && includesType(other, type));
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function unique(values: unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
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
