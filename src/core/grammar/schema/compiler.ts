import { choice } from '../gbnf/choice.ts';
import { type Expression, literal, never } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { inside, type JsonType, type Place, type SchemaObject } from '../json-schema.ts';
import { valueText } from '../text/json-text.ts';
import { arrayExpression } from './array.ts';
import type { SchemaCompiler, SchemaContext } from './context.ts';
import { excludes } from './exclusion.ts';
import { flatten, resolveReference } from './flat.ts';
import { constraints } from './keywords.ts';
import { MAX_NESTING } from './limits.ts';
import { mergeSchemas } from './merge.ts';
import { integerExpression, numberExpression } from './number.ts';
import { objectExpression } from './object.ts';
import { stringExpression } from './string.ts';
import { keywordsOfTypes, listedValues, type Union, unionOf, writtenTypes } from './types.ts';

/** Makes the compiler of one schema. It adds its rules to `rules`. */
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
  // `choice` sees the bodies of the options rather than references, so that equal beginnings are written once.
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
  const { rules, refuse } = compiler;
  switch (type) {
    case 'object':
      return objectExpression(schema, path, compiler);
    case 'array':
      return arrayExpression(schema, path, compiler);
    case 'string':
      return stringExpression(schema, path, rules, refuse);
    case 'number':
      return numberExpression(schema, path, refuse);
    case 'integer':
      return integerExpression(schema, path, refuse);
    case 'boolean':
      return choice([literal('true'), literal('false')]);
    case 'null':
      return literal('null');
  }
}

/** Matches any JSON value, for schemas without keywords. */
function anyValue(compiler: SchemaCompiler): Expression {
  return compiler.rules.define('any', 'any', '#', () =>
    choice(writtenTypes({}).map((type) => typeExpression(compiler, type, {}, '#'))),
  );
}
