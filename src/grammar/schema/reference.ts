import { inside, isRecord, type SchemaPlace } from '../../contract/json-schema.ts';
import type { Refuse } from './refuse.ts';

/**
 * Finds the schema that a `$ref` points to. Throws a 400 `ApiError` unless it is `#` or `#/...` and leads somewhere.
 */
export function resolveReference(
  { root, refuse }: { root: SchemaPlace; refuse: Refuse },
  place: SchemaPlace,
): SchemaPlace {
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
