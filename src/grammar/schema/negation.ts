import { isRecord, type JsonType, type SchemaObject, typeOfValue } from '../../contract/json-schema.ts';
import { readPattern } from '../text/pattern.ts';
import { type TextTree, textTree } from '../text/text-tree.ts';
import type { SchemaCompiler } from './context.ts';
import { excludes } from './exclusion.ts';
import { flatten } from './flat.ts';
import { everyValue, listedValues, typeList } from './types.ts';

/** The values that the `not` of a flat schema excludes, as far as a grammar can exclude them. */
export interface Negation {
  types: JsonType[];
  /** Texts that strings must not be. */
  texts: TextTree[];
  /** Numbers and booleans that must not be. */
  values: unknown[];
  /** Properties that objects must not have. */
  names: string[];
}

/** The most schemas that are read for one `not`. Each schema of an `anyOf` counts. */
const MAX_NEGATIONS = 200;

/**
 * Reads every `not` of a flat schema; false if no value remains. Values that a grammar can't exclude are left to the
 * check of the finished value.
 */
export function readNegation(compiler: SchemaCompiler, schema: SchemaObject, path: string): Negation | false {
  const negation: Negation = { types: [], texts: [], values: [], names: [] };
  const { not: _, allOf: __, ...rest } = schema;
  const waiting = everyValue(schema, 'not');
  for (const not of waiting) {
    if (waiting.length > MAX_NEGATIONS) {
      compiler.leave(schema, 'not', path);
      break;
    }
    const flat = flatten(compiler, { schema: not, path: `${path}/not` });
    if (flat === false) continue;
    if (Object.keys(flat).length === 0) return false;
    if (excludes(compiler, rest, flat, `${path}/not`)) continue;
    const { anyOf, ...others } = flat;
    // `not: {anyOf: [...]}` excludes the values of every branch.
    if (Array.isArray(anyOf) && Object.keys(others).length === 0) waiting.push(...anyOf);
    else if (!ruleOut(compiler, negation, flat, path)) compiler.leave(schema, 'not', path);
  }
  return negation;
}

/** Adds the values of a flat schema to the negation. Returns false if a grammar can't exclude them. */
function ruleOut({ refuse }: SchemaCompiler, negation: Negation, flat: SchemaObject, path: string): boolean {
  const { type, ...rest } = flat;
  const [keyword, ...others] = Object.keys(rest);
  const types = typeList(type);
  if (keyword === undefined) {
    negation.types.push(...types);
    return !types.includes('integer') || types.includes('number');
  }
  if (others.length > 0) return false;
  const values = listedValues(flat);
  if (values) return values.every((value) => ruleOutValue(negation, value));
  const isFor = (meant: JsonType) => type === undefined || (types.length === 1 && types[0] === meant);
  if (keyword === 'required' && isFor('object') && Array.isArray(rest.required) && rest.required.length === 1) {
    negation.names.push(String(rest.required[0]));
    // Without a type, all values but objects are ruled out as well.
    if (type === undefined) negation.types.push('array', 'string', 'number', 'integer', 'boolean', 'null');
    return true;
  }
  if (keyword === 'pattern' && isFor('string')) {
    negation.texts.push(readPattern(String(rest.pattern), (reason) => refuse(`${path}/not`, 'pattern', reason)));
    if (type === undefined) negation.types.push('object', 'array', 'number', 'integer', 'boolean', 'null');
    return true;
  }
  return false;
}

function ruleOutValue(negation: Negation, value: unknown): boolean {
  if (value === null) negation.types.push('null');
  else if (typeof value === 'string') negation.texts.push(textTree(value));
  else if (isRecord(value) || Array.isArray(value)) return false;
  else negation.values.push(value);
  return typeOfValue(value) !== 'number';
}
