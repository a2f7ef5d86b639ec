import { inside, isRecord, type SchemaObject, type SchemaPlace } from '../../contract/json-schema.ts';
import { unlessTooComplex } from '../budget.ts';
import { matchesText } from '../check/text-match.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, isNever, never, sequence } from '../gbnf/expression.ts';
import { COLON, otherStrings, QUOTE } from '../text/json-text.ts';
import { readPattern } from '../text/pattern.ts';
import { textTree } from '../text/text-tree.ts';
import { requireCheckable } from './checkable.ts';
import type { SchemaCompiler } from './context.ts';
import { flatten } from './flat.ts';
import { MAX_LENGTH } from './limits.ts';
import { namedTexts, toTerm } from './string.ts';
import { textSet } from './text-set.ts';
import { listedValues, namesSchemas } from './types.ts';

/** The most patterns of one schema by which names are told apart. Each pattern doubles the kinds of names. */
const MAX_PATTERNS = 4;

/**
 * Declares the properties that `propertyNames` lists, as optional ones, and allows no others. Returns any other schema
 * unchanged.
 */
export function withListedNames(compiler: SchemaCompiler, schema: SchemaObject, path: string): SchemaObject {
  const listed = namesSchemas(schema)
    .map((names) => flatten(compiler, { schema: names, path: `${path}/propertyNames` }))
    .map((flat) => (flat ? listedValues(flat) : []))
    .find((values) => values !== undefined);
  if (!listed) return schema;
  const { properties, patternProperties, propertyNames: _, additionalProperties, ...rest } = schema;
  const declared = isRecord(properties) ? properties : {};
  const others = additionalProperties ?? (properties === undefined && patternProperties === undefined);
  const names = [...Object.keys(declared), ...listed.filter((name) => typeof name === 'string')];
  const all = [...new Set(names)].map((name): [string, unknown] => {
    const own = { schema: Object.hasOwn(declared, name) ? declared[name] : others, path: `${path}/properties/${name}` };
    return [name, memberPlace(compiler, schema, own, name).schema];
  });
  return { ...rest, properties: Object.fromEntries(all), additionalProperties: false };
}

/**
 * Returns the schema of a member: its own schema and the schemas of the patterns that its name matches, or `false` if
 * its name is not allowed. `own` is the schema of a declared property, else the schema of additional properties.
 */
export function memberPlace(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  own: SchemaPlace,
  name: string,
): SchemaPlace {
  for (const names of namesSchemas(schema)) {
    requireCheckable(compiler, { schema: names, path: `${own.path}/propertyNames` });
    if (!compiler.isValid(names, name)) return { ...own, schema: false };
  }
  const patterns = patternsOf(compiler, schema, own.path).filter((pattern) => {
    const tree = readPattern(pattern, (reason) => compiler.refuse(own.path, 'patternProperties', reason));
    const isMatch = unlessTooComplex(() => matchesText(tree, name, compiler.budget.spend));
    if (isMatch === undefined) compiler.leave(schema, 'patternProperties', own.path);
    return isMatch;
  });
  if (patterns.length === 0) return own;
  const isDeclared = isRecord(schema.properties) && Object.hasOwn(schema.properties, name);
  const schemas = patterns.map((pattern) => inside({ schema, path: '' }, 'patternProperties', pattern).schema);
  return { ...own, schema: { allOf: [...(isDeclared ? [own.schema] : []), ...schemas] } };
}

/** The patterns of `patternProperties`. More than a few are left to the check of the finished value. */
function patternsOf(compiler: SchemaCompiler, schema: SchemaObject, path: string): string[] {
  const patterns = isRecord(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  if (patterns.length <= MAX_PATTERNS) return patterns;
  compiler.leave(schema, 'patternProperties', path);
  return [];
}

/**
 * Matches a member whose name is none of `excluded` and obeys `propertyNames`: for each kind of name, by the patterns
 * of `patternProperties` that it matches, the values that all of these allow, and `value` where it matches none.
 */
export function namedMember(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  excluded: string[],
  value: Expression,
): Expression {
  const patterns = patternsOf(compiler, schema, path);
  const members = subsets(patterns).map((matched): Expression | undefined => {
    const places = matched.map((pattern) => inside({ schema, path }, 'patternProperties', pattern));
    const [first] = places;
    const all =
      places.length === 1 ? first : first && { ...first, schema: { allOf: places.map((place) => place.schema) } };
    const allowed = all ? compiler.compile(all) : value;
    if (isNever(allowed)) return never;
    const name = nameExpression(compiler, schema, path, excluded, matched, patterns);
    return name && sequence(name, COLON, allowed);
  });
  if (members.every((member) => member !== undefined)) return compiler.rules.add('member', path, choice(members));
  for (const keyword of ['patternProperties', 'propertyNames']) {
    if (schema[keyword] !== undefined) compiler.leave(schema, keyword, path);
  }
  const key = `other names ${JSON.stringify(excluded)}`;
  const name = compiler.rules.define('name', key, path, () => otherStrings(compiler.rules, excluded, path));
  return sequence(name, COLON, value);
}

function subsets(patterns: string[]): string[][] {
  return patterns.reduce<string[][]>((sets, pattern) => sets.flatMap((set) => [set, [...set, pattern]]), [[]]);
}

/**
 * Matches the names that match exactly these of all patterns, from behind the opening quote. Returns undefined if that
 * is too complex.
 */
function nameExpression(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  excluded: string[],
  matched: string[],
  patterns: string[],
): Expression | undefined {
  const read = (pattern: string) =>
    readPattern(pattern, (reason) => compiler.refuse(path, 'patternProperties', reason));
  const others = patterns.filter((pattern) => !matched.includes(pattern));
  const rules = namesSchemas(schema).map((names) => namesRule(compiler, schema, names, path));
  const min = Math.max(0, ...rules.map((rule) => rule.min));
  const max = Math.min(...rules.map((rule) => rule.max));
  const trees = [...rules.flatMap((rule) => rule.trees), ...matched.map(read)];
  const key = `names ${JSON.stringify([trees, min, max, excluded, others])}`;
  return textSet(compiler, key, path, QUOTE, (terms) =>
    toTerm(terms, trees, min, max, [...others.map(read), ...excluded.map(textTree)]),
  );
}

/** Reads one `propertyNames`. Keywords that a grammar can't express are left to the check of the finished value. */
function namesRule(compiler: SchemaCompiler, schema: SchemaObject, names: unknown, path: string) {
  const place = { schema: names, path: `${path}/propertyNames` };
  const flat = flatten(compiler, place);
  if (flat === false) return { trees: [], min: 1, max: 0 };
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = flat;
  const isSaid = ['type', 'pattern', 'format', 'minLength', 'maxLength'];
  const max = Number(maxLength) > MAX_LENGTH ? Number.POSITIVE_INFINITY : Number(maxLength);
  if (max !== Number(maxLength) || Object.keys(flat).some((keyword) => !isSaid.includes(keyword))) {
    compiler.leave(schema, 'propertyNames', path);
  }
  return { trees: namedTexts(compiler, flat, place.path), min: Number(minLength), max };
}
