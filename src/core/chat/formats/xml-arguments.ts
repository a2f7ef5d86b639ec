import type { Tool } from './format.ts';

/**
 * The JSON text of arguments that a model wrote as plain text. What a text is follows from the tool's schema: JSON of a
 * type that the schema names, or of any if it names none, is taken as it is, and everything else is a string.
 */
export function toArgumentsJson(texts: [name: string, text: string][], tool: Tool | undefined): string {
  const members = texts.map(([name, text]) => `${JSON.stringify(name)}: ${toJson(text, propertySchema(tool, name))}`);
  return `{${members.join(', ')}}`;
}

function propertySchema(tool: Tool | undefined, name: string): unknown {
  const properties = member(tool?.parameters, 'properties');
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
    ? member(properties, name)
    : undefined;
}

/** Templates show the models their own earlier arguments as Python prints them. */
const PYTHON = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

function toJson(text: string, schema: unknown): string {
  const json = PYTHON.get(text.trim()) ?? text.trim();
  const types = namedTypes(schema);
  return typesOf(json).some((type) => types.size === 0 || types.has(type)) ? json : JSON.stringify(text);
}

/** The types of a JSON text. None for a string: its quotes would be the model's own. */
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

/** The types that a schema names, also in its alternatives and in the values that it lists. */
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
