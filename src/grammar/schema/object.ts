import { inside, isRecord, type SchemaObject, type SchemaPlace } from '../../contract/json-schema.ts';
import {
  type Expression,
  isNever,
  literal,
  never,
  optional,
  repeat,
  sequence,
  sequenceOf,
} from '../gbnf/expression.ts';
import { COLON, COMMA, otherStrings, QUOTE } from '../text/json-text.ts';
import type { SchemaCompiler } from './context.ts';
import { MAX_ITEMS, MAX_NAME_LENGTH } from './limits.ts';
import { memberPlace, namedMember, withListedNames } from './names.ts';
import { namesSchemas } from './types.ts';

/** A member of an object. */
export interface Member {
  /** Matches the member; in JSON, from behind the quote that opens its name. */
  expression: Expression;
  required: boolean;
}

/** True for a schema without keywords for properties: any property is allowed. */
export function isFree({ properties, required, patternProperties }: SchemaObject): boolean {
  return properties === undefined && required === undefined && patternProperties === undefined;
}

/**
 * Matches the objects of a flat schema: the properties in declared order, each at most once, then additional ones if
 * `additionalProperties` or `patternProperties` asks for them. An additional name may come twice. `JSON.parse` takes
 * the last value; both are valid. Throws a 400 `ApiError` for additional properties beside a name of more than
 * `MAX_NAME_LENGTH` characters.
 */
export function objectExpression(declared: SchemaObject, path: string, compiler: SchemaCompiler): Expression {
  const schema = withListedNames(compiler, declared, path);
  const members = declaredMembers(compiler, schema, path);
  if (members.some(({ required, expression }) => required && isNever(expression))) return never;
  const written = members.filter(({ expression }) => !isNever(expression));
  const extra = extraMember(compiler, schema, path);
  const [least, most] = extraCounts(compiler, schema, path, written, !isNever(extra));
  const mustHaveOne = least > 0 || written.some(({ required }) => required);
  if (least > most) return never;
  if (most === 0) return mustHaveOne ? never : literal('{}');

  const others = sequence(extra, repeat(sequence(COMMA, QUOTE, extra), Math.max(0, least - 1), most - 1));
  const inner = sequence(QUOTE, memberList(compiler, written, others, path, sequence(COMMA, QUOTE)));
  return sequence(literal('{'), mustHaveOne ? inner : optional(inner), literal('}'));
}

/**
 * Matches at least one member, all required ones included, in their order, with `separator` between two members. The
 * additional ones come last.
 */
export function memberList(
  { rules }: SchemaCompiler,
  members: Member[],
  others: Expression,
  path: string,
  separator: Expression,
): Expression {
  // Builds the list from its end. `behind` holds the parts after the current member, in reverse order.
  let behind = [rules.add('members', path, others, true)];
  let requiredLater = false;
  for (const { expression, required } of members.toReversed()) {
    const isSure = required && requiredLater;
    if (isSure) {
      behind.push(separator, expression);
      continue;
    }
    // The rest may follow an optional member or replace it. As a rule of its own it is written once.
    const later = rules.add('members', path, sequenceOf(behind.toReversed()), true);
    const next = sequence(separator, later);
    const here = sequence(expression, requiredLater ? next : optional(next));
    behind = [required ? here : rules.add('members', path, alternatives(here, later), true)];
    requiredLater ||= required;
  }
  return sequenceOf(behind.toReversed());
}

/** A choice without `choice`: the two begin with different names, so there is no beginning to share. */
function alternatives(some: Expression, other: Expression): Expression {
  return isNever(other) ? some : { kind: 'choice', options: [some, other] };
}

function declaredMembers(compiler: SchemaCompiler, schema: SchemaObject, path: string): Member[] {
  const place = { schema, path };
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const others: SchemaPlace = inside(place, 'additionalProperties');
  return [...new Set([...Object.keys(properties), ...required])].map((name) => {
    const property = Object.hasOwn(properties, name) ? inside(place, 'properties', name) : others;
    const value = compiler.compile(
      memberPlace(compiler, schema, { ...property, schema: property.schema ?? true }, name),
    );
    const text = literal(JSON.stringify(name).slice(1));
    return { expression: sequence(text, COLON, value), required: required.has(name) };
  });
}

/**
 * Matches a member with a name that is not declared. A schema that says nothing of properties allows any. Otherwise
 * only an explicit `additionalProperties` or `patternProperties` does: a client that lists some properties hardly wants
 * the model to add more.
 */
function extraMember(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const place = { schema, path };
  const others = inside(place, 'additionalProperties');
  const value = compiler.compile({ ...others, schema: others.schema ?? isFree(schema) });
  const names = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const excluded = [...new Set([...names, ...required])];
  const isPlain = schema.patternProperties === undefined && namesSchemas(schema).length === 0;
  if (isPlain && isNever(value)) return never;
  if (excluded.some((name) => name.length > MAX_NAME_LENGTH)) {
    throw compiler.refuse(path, 'additionalProperties', `is beside a name of more than ${MAX_NAME_LENGTH} characters`);
  }
  if (!isPlain) return namedMember(compiler, schema, path, excluded, value);
  const key = `other names ${JSON.stringify(excluded)}`;
  return sequence(
    compiler.rules.define('name', key, path, () => otherStrings(compiler.rules, excluded, path)),
    COLON,
    value,
  );
}

/**
 * Returns how many members there may be if all are additional ones. What the grammar can't guarantee is left to the
 * check of the finished value: it does not count declared members, and an additional name may come twice.
 */
function extraCounts(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  members: Member[],
  hasExtra: boolean,
): [least: number, most: number] {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const [min, max] = [Number(minProperties), Number(maxProperties)];
  const required = members.filter((member) => member.required).length;
  if (min > Math.max(required, 1)) compiler.leave(schema, 'minProperties', path);
  if (max === 0) return [min, 0];
  const isOnlyExtra = members.length === 0 && min <= MAX_ITEMS;
  const isCounted = isOnlyExtra && (max <= MAX_ITEMS || max === Number.POSITIVE_INFINITY);
  if (max < (hasExtra ? Number.POSITIVE_INFINITY : members.length) && !isCounted) {
    compiler.leave(schema, 'maxProperties', path);
  }
  return [isOnlyExtra ? min : Math.min(min, 1), isCounted ? max : Number.POSITIVE_INFINITY];
}
