import { isRecord, JSON_TYPES, type Place, type SchemaObject } from '../json-schema.ts';
import type { Refuse } from './refuse.ts';

/** Keywords that don't decide which values are valid. `strict` comes from OpenAI, `nullable` from OpenAPI. */
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

/** The keywords that the grammar enforces, each with a check of its value. */
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
  // Every name is a string. A schema that says more about names is not enforced.
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
 * Returns the keywords of a schema that decide which values are valid; `false` for the schema `false`. Throws a 400
 * `ApiError` for keywords that are not enforced. Unknown keywords are refused too: a misspelled one would otherwise
 * seem to be obeyed.
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
