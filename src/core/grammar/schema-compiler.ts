import { choice, type Expression, literal, never } from './expression.ts';
import { inside, type JsonType, type Place, type SchemaObject } from './json-schema.ts';
import { valueText } from './json-text.ts';
import type { Rules } from './rules.ts';
import { arrayExpression } from './schema-array.ts';
import { excludes } from './schema-exclusion.ts';
import { flatten, resolveReference, type SchemaContext } from './schema-flat.ts';
import { constraints } from './schema-keywords.ts';
import { MAX_NESTING } from './schema-limits.ts';
import { mergeSchemas } from './schema-merge.ts';
import { integerExpression, numberExpression } from './schema-number.ts';
import { objectExpression } from './schema-object.ts';
import { stringExpression } from './schema-string.ts';
import { keywordsOfTypes, listedValues, type Union, unionOf, writtenTypes } from './schema-types.ts';

/** Turns schemas into expressions, sharing rules between equal ones. */
export interface SchemaCompiler extends SchemaContext {
  rules: Rules;
  /** The expression for the values of a schema. Within a schema that holds itself, a reference to its rule. */
  compile(place: Place): Expression;
}

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
  };
  return compiler;
}

function compilePlace(compiler: SchemaCompiler, place: Place): Expression {
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

/** Names only help to read the grammar. */
function ruleHint(schema: SchemaObject): string {
  if ('anyOf' in schema || 'oneOf' in schema || Array.isArray(schema.type)) return 'union';
  if ('enum' in schema || 'const' in schema) return 'enum';
  return typeof schema.type === 'string' ? schema.type : 'value';
}

function flatExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const union = unionOf(schema);
  if (union) return unionExpression(compiler, union, path);
  const values = listedValues(schema);
  if (values) {
    const [beside] = keywordsOfTypes(schema);
    if (beside !== undefined) throw compiler.refuse(path, beside, "beside 'enum' or 'const' is not supported");
    return choice(values.map(valueText));
  }
  return choice(writtenTypes(schema).map((type) => typeExpression(compiler, type, schema, path)));
}

function unionExpression(compiler: SchemaCompiler, union: Union, path: string): Expression {
  const { rules, refuse } = compiler;
  const { keyword, branches, rest } = union;
  const isAlone = Object.keys(rest).length === 0;
  const places = branches.map((_, index) => inside({ schema: { [keyword]: branches }, path }, keyword, index));
  const flat = places.map((place) => {
    const branch = flatten(compiler, place);
    return branch && mergeSchemas(rest, branch, place.path, refuse);
  });
  if (keyword === 'oneOf') checkExclusive(compiler, flat, path);
  const options = places.map((place, index) => {
    const schema = flat[index] ?? false;
    if (schema === false) return never;
    if (isAlone) return compiler.compile(place);
    const key = `flat ${JSON.stringify(schema)}`;
    return rules.define(ruleHint(schema), key, place.path, () => flatExpression(compiler, schema, place.path));
  });
  // With the bodies of the options side by side, what they begin with in common is written once.
  return choice(options.map(rules.expand));
}

function checkExclusive(compiler: SchemaCompiler, branches: (SchemaObject | false)[], path: string): void {
  for (const [index, branch] of branches.entries()) {
    for (const [otherIndex, other] of branches.entries()) {
      if (index === otherIndex || excludes(compiler, branch, other, `${path}/oneOf`)) continue;
      const [low, high] = [Math.min(index, otherIndex), Math.max(index, otherIndex)];
      throw compiler.refuse(path, 'oneOf', `is not supported where a value may fit two branches: ${low} and ${high}`);
    }
  }
}

function typeExpression(compiler: SchemaCompiler, type: JsonType, schema: SchemaObject, path: string): Expression {
  switch (type) {
    case 'object':
      return objectExpression(compiler, schema, path);
    case 'array':
      return arrayExpression(compiler, schema, path);
    case 'string':
      return stringExpression(compiler, schema, path);
    case 'number':
      return numberExpression(compiler, schema, path);
    case 'integer':
      return integerExpression(compiler, schema, path);
    case 'boolean':
      return choice([literal('true'), literal('false')]);
    case 'null':
      return literal('null');
  }
}

/** Any JSON value: the one place where a schema without keywords leads. */
function anyValue(compiler: SchemaCompiler): Expression {
  return compiler.rules.define('any', 'any', '#', () =>
    choice(writtenTypes({}).map((type) => typeExpression(compiler, type, {}, '#'))),
  );
}
