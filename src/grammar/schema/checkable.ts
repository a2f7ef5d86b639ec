import { inside, isRecord, type SchemaObject, type SchemaPlace } from '../../contract/json-schema.ts';
import { FREE_FORMATS, NUMBER_FORMATS } from '../text/format-patterns.ts';
import { TEXT_FORMATS } from '../text/formats.ts';
import { readPattern } from '../text/pattern.ts';
import type { SchemaContext } from './context.ts';
import { constraints } from './keywords.ts';
import { resolveReference } from './reference.ts';
import type { Refuse } from './refuse.ts';

/** The keywords that hold one schema, a list of schemas, or schemas by name. */
const ONE = ['additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];

/**
 * Checks that `checkValue` supports a schema, and all schemas that it contains or refers to. Throws a 400 `ApiError`
 * that names the first keyword without support.
 */
export function requireCheckable(context: SchemaContext, start: SchemaPlace): void {
  const waiting = [start];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (context.checkable.has(place.schema)) continue;
    const schema = constraints(place, context.refuse);
    if (schema === false) continue;
    context.checkable.add(place.schema);
    if (schema.$ref !== undefined) waiting.push(resolveReference(context, place));
    requireKnownTexts(schema, place.path, context.refuse);
    waiting.push(...parts({ schema, path: place.path }, schema));
  }
}

function parts(place: SchemaPlace, schema: SchemaObject): SchemaPlace[] {
  const one = ONE.filter((keyword) => schema[keyword] !== undefined).map((keyword) => inside(place, keyword));
  const lists = LISTS.flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.map((_, index) => inside(place, keyword, index)) : [];
  });
  const named = NAMED.flatMap((keyword) => {
    const record = schema[keyword];
    return isRecord(record) ? Object.keys(record).map((name) => inside(place, keyword, name)) : [];
  });
  return [...one, ...lists, ...named.filter(({ schema: part }) => !Array.isArray(part))];
}

function requireKnownTexts({ pattern, format, patternProperties }: SchemaObject, path: string, refuse: Refuse): void {
  if (pattern !== undefined) readPattern(String(pattern), (reason) => refuse(path, 'pattern', reason));
  if (pattern === undefined && format !== undefined) requireKnownFormat(String(format), path, refuse);
  for (const name of isRecord(patternProperties) ? Object.keys(patternProperties) : []) {
    readPattern(name, (reason) => refuse(path, 'patternProperties', reason));
  }
}

/** Throws a 400 `ApiError` for a format that is not known: a misspelled one would otherwise seem to be obeyed. */
export function requireKnownFormat(format: string, path: string, refuse: Refuse): void {
  if (TEXT_FORMATS.has(format) || NUMBER_FORMATS.has(format) || FREE_FORMATS.has(format)) return;
  throw refuse(path, 'format', `'${format}' is not supported`);
}
