import {
  includesType,
  inside,
  isRecord,
  type JsonType,
  type SchemaObject,
  type SchemaPlace,
} from '../../contract/json-schema.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, literal, never } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { valueText } from '../text/json-text.ts';
import { arrayExpression } from './array.ts';
import { requireCheckable } from './checkable.ts';
import type { SchemaCompiler, SchemaContext } from './context.ts';
import { excludes } from './exclusion.ts';
import { flatten } from './flat.ts';
import { constraints } from './keywords.ts';
import { MAX_NESTING } from './limits.ts';
import { mergeSchemas } from './merge.ts';
import { type Negation, readNegation } from './negation.ts';
import { integerExpression, numberExpression } from './number.ts';
import { isFree, objectExpression } from './object.ts';
import { resolveReference } from './reference.ts';
import { stringExpression } from './string.ts';
import { listedValues, type Union, unionOf, writtenTypes } from './types.ts';

/**
 * Makes the compiler of one schema. It adds its rules to `rules`. `compile` throws a 400 `ApiError` for a schema that
 * no grammar can be made of, as for one that is more than `MAX_NESTING` schemas deep.
 */
export function createSchemaCompiler(context: SchemaContext, rules: Rules): SchemaCompiler {
  let nesting = 0;
  const compiler: SchemaCompiler = {
    ...context,
    rules,
    compile(place) {
      if (++nesting > MAX_NESTING) throw context.refuse(place.path, null, `is more than ${MAX_NESTING} schemas deep`);
      const expression = compilePlace(compiler, place);
      nesting--;
      return expression;
    },
    leave(schema, keyword, path) {
      const known = context.left.get(keyword) ?? new Set();
      context.left.set(keyword, known);
      if (known.has(schema[keyword])) return;
      known.add(schema[keyword]);
      requireCheckable(context, { schema: { [keyword]: schema[keyword] }, path });
    },
  };
  return compiler;
}

function compilePlace(compiler: SchemaCompiler, place: SchemaPlace): Expression {
  const own = constraints(place, compiler.refuse);
  if (own === false) return never;
  const keywords = Object.keys(own);
  if (keywords.length === 0) return anyValue(compiler);
  return compiler.rules.define(ruleHint(own), `schema ${JSON.stringify(own)}`, place.path, () => {
    if (keywords.length === 1 && own.$ref !== undefined) return compiler.compile(resolveReference(compiler, place));
    const flat = flatten(compiler, place);
    return flat === false ? never : flatExpression(compiler, flat, place.path);
  });
}

/** Chooses a rule's name. It has no effect but to make the grammar easier to read. */
function ruleHint(schema: SchemaObject): string {
  if ('anyOf' in schema || 'oneOf' in schema || Array.isArray(schema.type)) return 'union';
  if ('enum' in schema || 'const' in schema) return 'enum';
  return typeof schema.type === 'string' ? schema.type : 'value';
}

function flatExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const union = unionOf(schema);
  if (union) return unionExpression(compiler, union, path);
  const values = listedValues(schema);
  if (values) return choice(validValues(compiler, schema, values, path).map(valueText));
  leaveUnsaid(compiler, schema, path);
  const ruledOut = readNegation(compiler, schema, path);
  if (ruledOut === false) return never;
  const types = writtenTypes(schema).filter((type) => !includesType(ruledOut.types, type));
  return choice(types.map((type) => typeExpression(compiler, type, schema, path, ruledOut)));
}

/** Returns the values of `values` that obey the other keywords. */
function validValues(compiler: SchemaCompiler, schema: SchemaObject, values: unknown[], path: string): unknown[] {
  const { type: _, enum: __, const: ___, ...rest } = schema;
  if (Object.keys(rest).length === 0) return values;
  requireCheckable(compiler, { schema: rest, path });
  return values.filter((value) => compiler.isValid(rest, value));
}

/** Keywords that no grammar can express. */
const UNSAID = ['contains', 'maxContains', 'if', 'dependentRequired', 'dependentSchemas', 'dependencies'];
/** Keywords that may stand several times in the `allOf` of a flat schema and are obeyed there. */
const SEVERAL = ['pattern', 'format', 'multipleOf', 'not', 'propertyNames'];

/**
 * Leaves to the check of the finished value the keywords that no grammar can express, and the keywords that could not
 * be merged.
 */
function leaveUnsaid(compiler: SchemaCompiler, schema: SchemaObject, path: string): void {
  for (const keyword of UNSAID) if (schema[keyword] !== undefined) compiler.leave(schema, keyword, path);
  const parts = Array.isArray(schema.allOf) ? schema.allOf.filter(isRecord) : [];
  for (const part of parts) {
    for (const keyword of Object.keys(part)) if (!SEVERAL.includes(keyword)) compiler.leave(part, keyword, path);
  }
}

function unionExpression(compiler: SchemaCompiler, union: Union, path: string): Expression {
  const { rules } = compiler;
  const { keyword, branches, rest } = union;
  const isAlone = Object.keys(rest).length === 0;
  const places = branches.map((_, index) => inside({ schema: { [keyword]: branches }, path }, keyword, index));
  const flat = places.map((place) => {
    const branch = flatten(compiler, place);
    return branch && mergeSchemas(rest, branch);
  });
  if (keyword === 'oneOf' && !areExclusive(compiler, flat, path)) {
    compiler.leave({ [keyword]: branches }, keyword, path);
  }
  const options = places.map((place, index) => {
    const schema = flat[index] ?? false;
    if (schema === false) return never;
    if (isAlone) return compiler.compile(place);
    const key = `flat ${JSON.stringify(schema)}`;
    return rules.define(ruleHint(schema), key, place.path, () => flatExpression(compiler, schema, place.path));
  });
  // `choice` sees the bodies of the options rather than references, so that equal beginnings are written once.
  return choice(options.map(rules.expand));
}

/** True if no value that the grammar writes for one branch is valid for another branch. */
function areExclusive(compiler: SchemaCompiler, branches: (SchemaObject | false)[], path: string): boolean {
  return branches.every((branch, index) =>
    branches.every((other, otherIndex) => index === otherIndex || excludes(compiler, branch, other, `${path}/oneOf`)),
  );
}

function typeExpression(
  compiler: SchemaCompiler,
  type: JsonType,
  schema: SchemaObject,
  path: string,
  ruledOut: Negation,
): Expression {
  switch (type) {
    case 'object':
      return objectExpression(withoutNames(schema, ruledOut.names), path, compiler);
    case 'array':
      return arrayExpression(schema, path, compiler);
    case 'string':
      return stringExpression(compiler, schema, path, ruledOut);
    case 'number':
      return numberExpression(compiler, schema, path, ruledOut);
    case 'integer':
      return integerExpression(compiler, schema, path, ruledOut);
    case 'boolean':
      return choice([true, false].filter((value) => !ruledOut.values.includes(value)).map(valueText));
    case 'null':
      return literal('null');
  }
}

/** Forbids properties by their names. */
function withoutNames(schema: SchemaObject, names: string[]): SchemaObject {
  if (names.length === 0) return schema;
  const { properties, additionalProperties = isFree(schema) } = schema;
  const forbidden = Object.fromEntries(names.map((name) => [name, false]));
  return { ...schema, properties: { ...(isRecord(properties) && properties), ...forbidden }, additionalProperties };
}

/** Matches any JSON value, for schemas without keywords. */
function anyValue(compiler: SchemaCompiler): Expression {
  return compiler.rules.define('any', 'any', '#', () => flatExpression(compiler, {}, '#'));
}
