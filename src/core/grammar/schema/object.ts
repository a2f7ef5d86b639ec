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
import { inside, isRecord, type Place, type SchemaObject } from '../json-schema.ts';
import { COLON, COMMA, otherStrings, QUOTE } from '../text/json-text.ts';
import type { SchemaCompiler } from './context.ts';
import { MAX_NAME_LENGTH } from './limits.ts';

/** A member of an object. */
interface Member {
  /** Matches the member from behind the quote that opens its name. */
  expression: Expression;
  required: boolean;
}

/**
 * Matches the objects of a flat schema: the properties in declared order, each at most once, then additional ones if
 * `additionalProperties` asks for them. An additional name may come twice. `JSON.parse` takes the last value; both are
 * valid.
 */
export function objectExpression(schema: SchemaObject, path: string, compiler: SchemaCompiler): Expression {
  const members = declaredMembers(compiler, schema, path);
  if (members.some(({ required, expression }) => required && isNever(expression))) return never;
  const written = members.filter(({ expression }) => !isNever(expression));
  const extra = extraMember(compiler, schema, path);
  const mustHaveOne = checkCount(compiler, schema, path, written, !isNever(extra));

  const others = sequence(extra, repeat(sequence(COMMA, QUOTE, extra), 0, Number.POSITIVE_INFINITY));
  const inner = sequence(QUOTE, memberList(compiler, written, others, path));
  return sequence(literal('{'), mustHaveOne ? inner : optional(inner), literal('}'));
}

/** Matches at least one member, all required ones included, in their order. The additional ones come last. */
function memberList({ rules }: SchemaCompiler, members: Member[], others: Expression, path: string): Expression {
  const separator = sequence(COMMA, QUOTE);
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
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const others: Place = inside(place, 'additionalProperties');
  return [...new Set([...Object.keys(properties), ...required])].map((name) => {
    const property = Object.hasOwn(properties, name) ? inside(place, 'properties', name) : others;
    const value = compiler.compile({ ...property, schema: property.schema ?? true });
    const text = literal(JSON.stringify(name).slice(1));
    return { expression: sequence(text, COLON, value), required: required.includes(name) };
  });
}

/**
 * Matches a member with a name that is not declared. A schema that says nothing of properties allows any. Otherwise
 * only an explicit `additionalProperties` does: a client that lists some properties hardly wants the model to add more.
 */
function extraMember(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const isFree = schema.properties === undefined && schema.required === undefined;
  const others = schema.additionalProperties ?? isFree;
  const value = compiler.compile({ schema: others, path: `${path}/additionalProperties` });
  if (isNever(value)) return never;
  const names = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const excluded = [...new Set([...names, ...required])];
  if (excluded.some((name) => name.length > MAX_NAME_LENGTH)) {
    throw compiler.refuse(path, 'additionalProperties', `is beside a name of more than ${MAX_NAME_LENGTH} characters`);
  }
  const key = `other names ${JSON.stringify(excluded)}`;
  return sequence(
    compiler.rules.define('name', key, path, () => otherStrings(compiler.rules, excluded)),
    COLON,
    value,
  );
}

/**
 * Throws a 400 `ApiError` for a `minProperties` or `maxProperties` that the grammar can't guarantee. Returns whether
 * the object needs at least one member.
 */
function checkCount(
  { refuse }: SchemaCompiler,
  { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY }: SchemaObject,
  path: string,
  members: Member[],
  hasExtra: boolean,
): boolean {
  const required = members.filter((member) => member.required).length;
  if (Number(minProperties) > Math.max(required, 1)) {
    throw refuse(path, 'minProperties', 'is only supported up to the number of required properties, or 1');
  }
  if (Number(maxProperties) < (hasExtra ? Number.POSITIVE_INFINITY : members.length)) {
    throw refuse(path, 'maxProperties', 'is only supported from the number of possible properties on');
  }
  return required > 0 || Number(minProperties) > 0;
}
