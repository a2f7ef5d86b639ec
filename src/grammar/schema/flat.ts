import { inside, type SchemaObject, type SchemaPlace } from '../../contract/json-schema.ts';
import type { SchemaContext } from './context.ts';
import { constraints } from './keywords.ts';
import { MAX_NESTING } from './limits.ts';
import { mergeSchemas } from './merge.ts';
import { resolveReference } from './reference.ts';

/**
 * Merges a schema with what its `$ref` and `allOf` ask for. Returns one flat schema without `$ref`; its `allOf` holds
 * only what `mergeSchemas` leaves there. Returns `false` if no value can obey it. `seen` has the paths of the schemas
 * that led here. Throws a 400 `ApiError` for references in a circle.
 */
export function flatten(
  context: SchemaContext,
  place: SchemaPlace,
  seen: readonly string[] = [],
): SchemaObject | false {
  const { refuse, flat } = context;
  const known = flat.get(place.schema);
  if (known !== undefined) return known;
  const own = constraints(place, refuse);
  if (own === false) return false;
  const { $ref, allOf, ...rest } = own;
  const parts: SchemaPlace[] = Array.isArray(allOf) ? allOf.map((_, index) => inside(place, 'allOf', index)) : [];
  if ($ref !== undefined) parts.push(resolveReference(context, place));
  if (parts.length > 0 && seen.includes(place.path))
    throw refuse(place.path, $ref ? '$ref' : 'allOf', 'refers to itself');
  if (seen.length > MAX_NESTING) throw refuse(place.path, null, `is more than ${MAX_NESTING} schemas deep`);
  let merged: SchemaObject | false = rest;
  for (const part of parts) {
    const other = flatten(context, part, [...seen, place.path]);
    merged = merged && other && mergeSchemas(merged, other);
  }
  flat.set(place.schema, merged);
  return merged;
}
