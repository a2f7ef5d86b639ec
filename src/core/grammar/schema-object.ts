import { type Expression, isNever, literal, never, optional, repeat, sequence, sequenceOf } from './expression.ts';
import { inside, isRecord, type Place, type SchemaObject } from './json-schema.ts';
import { COLON, COMMA, otherStrings, QUOTE } from './json-text.ts';
import type { SchemaCompiler } from './schema-compiler.ts';
import { MAX_NAME_LENGTH } from './schema-limits.ts';

/** A member that the grammar writes, from behind the quote that opens its name. */
interface Member {
  expression: Expression;
  required: boolean;
}

/**
 * Objects of a flat schema: the properties in declared order, each once at most, then others where
 * `additionalProperties` asks for them. Of two others with the same name, the last one counts; both are right.
 */
export function objectExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const members = declaredMembers(compiler, schema, path);
  if (members.some(({ required, expression }) => required && isNever(expression))) return never;
  const written = members.filter(({ expression }) => !isNever(expression));
  const extra = extraMember(compiler, schema, path);
  const mustHaveOne = checkCount(compiler, schema, path, written, !isNever(extra));

  const others = sequence(extra, repeat(sequence(COMMA, QUOTE, extra), 0, Number.POSITIVE_INFINITY));
  const inner = sequence(QUOTE, memberList(compiler, written, others, path));
  return sequence(literal('{'), mustHaveOne ? inner : optional(inner), literal('}'));
}

/** At least one of the members in their order, with those that are required. */
function memberList({ rules }: SchemaCompiler, members: Member[], others: Expression, path: string): Expression {
  const separator = sequence(COMMA, QUOTE);
  // From the last one on, with the parts that come behind a member the other way round too.
  let behind = [rules.add('members', path, others, true)];
  let requiredLater = false;
  for (const { expression, required } of members.toReversed()) {
    const isSure = required && requiredLater;
    if (isSure) {
      behind.push(separator, expression);
      continue;
    }
    // What comes behind an optional member comes instead of it too: as a rule, the grammar has it only once.
    const later = rules.add('members', path, sequenceOf(behind.toReversed()), true);
    const next = sequence(separator, later);
    const here = sequence(expression, requiredLater ? next : optional(next));
    behind = [required ? here : rules.add('members', path, alternatives(here, later), true)];
    requiredLater ||= required;
  }
  return sequenceOf(behind.toReversed());
}

/** A choice of two that begin with different names. */
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
 * A member of another name. Without any word on properties, an object may hold any; else `additionalProperties` must
 * be there, since a model that is asked for some properties isn't asked for more.
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

/** Throws where the number of members isn't sure to be right. Gives whether the object must not be empty. */
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
