import { type ApiError, invalidRequest } from '../errors.ts';
import { isRecord, JSON_TYPES, type Place, type SchemaObject } from './json-schema.ts';

/** Makes the error for a keyword of the schema, or for the schema itself. */
export type Refuse = (path: string, keyword: string | null, reason: string) => ApiError;

/** The errors of one schema, which came in the request's field `param`. */
export function createRefuse(param: string): Refuse {
  return (path, keyword, reason) =>
    invalidRequest(
      `${keyword === null ? 'The schema' : `The schema's '${keyword}'`} at ${path} ${reason}.`,
      param,
      'unsupported_schema',
    );
}

/** Keywords that say nothing of which values are valid, `strict` of OpenAI and `nullable` of OpenAPI among them. */
const ANNOTATIONS = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'nullable',
  'strict',
]);

type Check = [isRight: (value: unknown) => boolean, mustBe: string];

const isSchema = (value: unknown) => typeof value === 'boolean' || isRecord(value);
const isType = (value: unknown) => JSON_TYPES.some((type) => type === value);
const isList = (value: unknown, isItem: (item: unknown) => boolean) => Array.isArray(value) && value.every(isItem);

const allowsAllTexts = (value: unknown) =>
  value === true || (isRecord(value) && Object.entries(value).every(([key, of]) => key === 'type' && of === 'string'));

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;

const aSchema: Check = [isSchema, 'must be a schema'];
const aNumber: Check = [Number.isFinite, 'must be a number'];
const aCount: Check = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'must be a count'];
const aText: Check = [(value) => typeof value === 'string', 'must be a string'];
const schemas: Check = [(value) => isList(value, isSchema) && isFilled(value), 'must be a list of schemas'];
const namedSchemas: Check = [(value) => isRecord(value) && Object.values(value).every(isSchema), 'must hold schemas'];

/** The keywords that the grammar enforces, and what they must be. */
const ENFORCED = new Map<string, Check>([
  ['$ref', aText],
  ['allOf', schemas],
  ['anyOf', schemas],
  ['oneOf', schemas],
  [
    'type',
    [(value) => isType(value) || (isList(value, isType) && isFilled(value)), 'must be one or more of the JSON types'],
  ],
  ['enum', [isFilled, 'must be a list of values']],
  ['const', [() => true, '']],
  ['properties', namedSchemas],
  ['required', [(value) => isList(value, (name) => typeof name === 'string'), 'must be a list of names']],
  ['additionalProperties', aSchema],
  ['minProperties', aCount],
  ['maxProperties', aCount],
  // Names are texts in any case; what says more of them is not enforced.
  ['propertyNames', [allowsAllTexts, 'is not supported']],
  ['items', aSchema],
  ['prefixItems', schemas],
  ['minItems', aCount],
  ['maxItems', aCount],
  ['uniqueItems', [(value) => value === false, 'is not supported']],
  ['minLength', aCount],
  ['maxLength', aCount],
  ['pattern', aText],
  ['format', aText],
  ['minimum', aNumber],
  ['maximum', aNumber],
  ['exclusiveMinimum', aNumber],
  ['exclusiveMaximum', aNumber],
]);

/**
 * The keywords of a schema that say which values are valid; `false` stays itself. Throws for what isn't enforced,
 * unknown keywords among it: a keyword that is spelled wrong must not pass for one that is obeyed.
 */
export function constraints({ schema, path }: Place, refuse: Refuse): SchemaObject | false {
  if (typeof schema === 'boolean') return schema ? {} : false;
  if (!isRecord(schema)) throw refuse(path, null, 'must be an object or a boolean');
  const kept = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === '$id' && path !== '#') throw refuse(path, keyword, 'is only supported at the root');
    if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) return false;
    const [isRight, mustBe] = ENFORCED.get(keyword) ?? [() => false, 'is not supported'];
    if (!isRight(value)) throw refuse(path, keyword, mustBe);
    return keyword !== 'uniqueItems';
  });
  return Object.fromEntries(kept);
}
