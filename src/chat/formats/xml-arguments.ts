import type { Tool } from './format.ts';
import { pythonToJson } from './python-literal.ts';

/** An argument as plain text. `isText` is set if the model's marks tell whether it is a string. */
export type TextArgument = [name: string, text: string, isText?: boolean];

/**
 * Turns arguments that a model wrote as plain text into JSON. The tool's schema decides, unless the marks do: a text
 * stays as it is if it is JSON of a type that the schema names, or of any type if it names none. Every other text
 * becomes a string.
 */
export function toArgumentsJson(texts: TextArgument[], tool: Tool | undefined): string {
  const members = texts.map(([name, text, isText]) => {
    const schema = isText === undefined ? propertySchema(tool, name) : isText ? { type: 'string' } : undefined;
    return `${JSON.stringify(name)}: ${valueToJson(text, schema)}`;
  });
  return `{${members.join(', ')}}`;
}

/** Returns the types that a tool's schema names for a member; none if it names none. */
export function memberTypes(tool: Tool | undefined, name: string): Set<string> {
  return namedTypes(propertySchema(tool, name));
}

function propertySchema(tool: Tool | undefined, name: string): unknown {
  const properties = member(tool?.parameters, 'properties');
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
    ? member(properties, name)
    : undefined;
}

/**
 * Turns one value that a model wrote as plain text into JSON. Models write Python where their templates show them their
 * earlier arguments as Python prints them.
 */
export function valueToJson(text: string, schema: unknown): string {
  const types = namedTypes(schema);
  const isNamed = (json: string | undefined) => typesOf(json ?? '').some((type) => types.size === 0 || types.has(type));
  const json = text.trim();
  if (isNamed(json)) return json;
  const python = pythonToJson(json);
  return python !== undefined && isNamed(python) ? python : JSON.stringify(text);
}

/**
 * Returns the types of a JSON text. A JSON string counts as none, since the model means its quotes as part of the text.
 */
function typesOf(json: string): string[] {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null) return ['null'];
    if (Array.isArray(value)) return ['array'];
    if (typeof value === 'number') return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
    return typeof value === 'string' ? [] : [typeof value];
  } catch {
    return [];
  }
}

/** Collects the types that a schema names, including those of its alternatives and of the values it lists. */
function namedTypes(schema: unknown, depth = 0): Set<string> {
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => list(member(schema, key)));
  const values = [...list(member(schema, 'enum')), ...list(member(schema, 'const'))];
  return new Set([
    ...list(member(schema, 'type')).filter((type) => typeof type === 'string'),
    ...values.flatMap((value) => (typeof value === 'string' ? ['string'] : typesOf(JSON.stringify(value)))),
    ...(depth < 8 ? alternatives.flatMap((alternative) => [...namedTypes(alternative, depth + 1)]) : []),
  ]);
}

function list(value: unknown): unknown[] {
  return value === undefined ? [] : [value].flat();
}

function member(schema: unknown, key: string): unknown {
  return typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>)[key] : undefined;
}
