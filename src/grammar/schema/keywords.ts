import { isRecord, JSON_TYPES, type SchemaObject, type SchemaPlace } from '../../contract/json-schema.ts';
import type { Refuse } from './refuse.ts';

/**
 * Keywords that don't decide which values are valid: those of JSON Schema, `strict` of OpenAI, and what OpenAPI, Gemini
 * and editors add.
 */
const ANNOTATIONS = new Set([
  '$schema',
  '$id',
  'id',
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
  'discriminator',
  'xml',
  'externalDocs',
  'propertyOrdering',
  'enumNames',
  'enumDescriptions',
  'markdownDescription',
  'errorMessage',
  'deprecationMessage',
]);

type Check = [isRight: (value: unknown) => boolean, mustBe: string];

const isSchema = (value: unknown) => typeof value === 'boolean' || isRecord(value);
const isType = (value: unknown) => JSON_TYPES.some((type) => type === value);
const isList = (value: unknown, isItem: (item: unknown) => boolean) => Array.isArray(value) && value.every(isItem);

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;

const aSchema: Check = [isSchema, 'must be a schema'];
const aNumber: Check = [Number.isFinite, 'must be a number'];
const aCount: Check = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'must be a count'];
const aText: Check = [(value) => typeof value === 'string', 'must be a string'];
const schemas: Check = [(value) => isList(value, isSchema) && isFilled(value), 'must be a list of schemas'];
const aStep: Check = [(value) => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'];
const aBoolean: Check = [(value) => typeof value === 'boolean', 'must be true or false'];
const names: Check = [(value) => isList(value, (name) => typeof name === 'string'), 'must be a list of names'];
const namedNames: Check = [
  (value) => isRecord(value) && Object.values(value).every(names[0]),
  'must hold lists of names',
];
const dependencies: Check = [
  (value) => isRecord(value) && Object.values(value).every((one) => isSchema(one) || names[0](one)),
  'must hold schemas or lists of names',
];
const namedSchemas: Check = [(value) => isRecord(value) && Object.values(value).every(isSchema), 'must hold schemas'];

/** The keywords that the grammar enforces or the check of the value obeys, each with a check of its own value. */
const KEYWORDS = new Map<string, Check>([
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
  ['required', names],
  ['additionalProperties', aSchema],
  ['minProperties', aCount],
  ['maxProperties', aCount],
  ['patternProperties', namedSchemas],
  ['propertyNames', aSchema],
  ['dependentRequired', namedNames],
  ['dependentSchemas', namedSchemas],
  ['dependencies', dependencies],
  ['items', [(value) => isSchema(value) || isList(value, isSchema), 'must be a schema or a list of schemas']],
  ['additionalItems', aSchema],
  ['prefixItems', schemas],
  ['minItems', aCount],
  ['maxItems', aCount],
  ['uniqueItems', aBoolean],
  ['contains', aSchema],
  ['minContains', aCount],
  ['maxContains', aCount],
  ['minLength', aCount],
  ['maxLength', aCount],
  ['pattern', aText],
  ['format', aText],
  ['minimum', aNumber],
  ['maximum', aNumber],
  ['exclusiveMinimum', aNumber],
  ['exclusiveMaximum', aNumber],
  ['multipleOf', aStep],
  ['not', aSchema],
  ['if', aSchema],
  ['then', aSchema],
  ['else', aSchema],
]);

/**
 * Returns the keywords of a schema that decide which values are valid; `false` for the schema `false`. Throws a 400
 * `ApiError` for keywords that are not obeyed. Unknown keywords are refused too: a misspelled one would otherwise seem
 * to be obeyed.
 */
export function constraints({ schema, path }: SchemaPlace, refuse: Refuse): SchemaObject | false {
  if (typeof schema === 'boolean') return schema ? {} : false;
  if (!isRecord(schema)) throw refuse(path, null, 'must be an object or a boolean');
  const kept = Object.entries(withoutFlags(schema)).filter(([keyword, value]) => {
    if (keyword === '$id' && path !== '#') throw refuse(path, keyword, 'is only supported at the root');
    if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) return false;
    const [isRight, mustBe] = KEYWORDS.get(keyword) ?? [() => false, 'is not supported'];
    if (!isRight(value)) throw refuse(path, keyword, mustBe);
    return keyword !== 'uniqueItems' || value === true;
  });
  return withPrefix(Object.fromEntries(kept));
}

/** Turns a tuple of draft 7, `items: [...]`, into `prefixItems`. */
function withPrefix({ additionalItems, ...schema }: SchemaObject): SchemaObject {
  if (!Array.isArray(schema.items)) return schema;
  const { items, ...rest } = schema;
  return { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** Turns the flags `exclusiveMinimum: true` and `exclusiveMaximum: true` of draft 4 into bounds. */
function withoutFlags(schema: SchemaObject): SchemaObject {
  const pairs = [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const;
  return pairs.reduce((result, [flag, bound]) => {
    if (typeof result[flag] !== 'boolean') return result;
    const { [flag]: isExclusive, [bound]: value, ...rest } = result;
    return value === undefined ? rest : { ...rest, [isExclusive ? flag : bound]: value };
  }, schema);
}
