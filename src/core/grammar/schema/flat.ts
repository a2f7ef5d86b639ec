import { inside, isRecord, type Place, type SchemaObject } from '../json-schema.ts';
import type { SchemaContext } from './context.ts';
import { constraints } from './keywords.ts';
import { MAX_NESTING } from './limits.ts';
import { mergeSchemas } from './merge.ts';

/**
 * Merges a schema with what its `$ref` and `allOf` ask for. Returns one flat schema, which has neither; `false` if no
 * value can obey it. `seen` has the paths of the schemas that led here. Throws a 400 `ApiError` for references in a
 * circle and for schemas that don't merge.
 */
export function flatten(context: SchemaContext, place: Place, seen: readonly string[] = []): SchemaObject | false {
  const { refuse, flat } = context;
  const known = flat.get(place.schema);
  if (known !== undefined) return known;
  const own = constraints(place, refuse);
  if (own === false) return false;
  const { $ref, allOf, ...rest } = own;
  const parts: Place[] = Array.isArray(allOf) ? allOf.map((_, index) => inside(place, 'allOf', index)) : [];
  if ($ref !== undefined) parts.push(resolveReference(context, place));
  if (parts.length > 0 && seen.includes(place.path))
    throw refuse(place.path, $ref ? '$ref' : 'allOf', 'refers to itself');
  if (seen.length > MAX_NESTING) throw refuse(place.path, null, `is more than ${MAX_NESTING} schemas deep`);
  let merged: SchemaObject | false = rest;
  for (const part of parts) {
    const other = flatten(context, part, [...seen, place.path]);
    merged = merged && other && mergeSchemas(merged, other, place.path, refuse);
  }
  flat.set(place.schema, merged);
  return merged;
}

/**
 * Finds the schema that a `$ref` points to. Throws a 400 `ApiError` unless it is `#` or `#/...` and leads somewhere.
 */
export function resolveReference({ root, refuse }: SchemaContext, place: Place): Place {
  const reference = isRecord(place.schema) ? String(place.schema.$ref) : '';
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) throw refuse(place.path, '$ref', 'must point into the schema itself: #/...');
  const keys = reference.slice(2).split('/').map(decodeKey);
  const target = inside(root, ...keys);
  if (target.schema === undefined) throw refuse(place.path, '$ref', `points to nothing: ${reference}`);
  return target;
}

/** Decodes one key of a JSON pointer in a URI: https://www.rfc-editor.org/rfc/rfc6901#section-6. */
function decodeKey(key: string): string {
  const pointer = key.replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
  return pointer.replaceAll('~1', '/').replaceAll('~0', '~');
}
