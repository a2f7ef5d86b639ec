import { isObject } from '../../utils/json.ts';
import type { Tool } from './format.ts';

type Schema = Record<string, unknown>;

/**
 * Returns the values of `tools` to try with a template, in order. Many templates fail at schemas that others accept,
 * and some fail if `tools` is not defined.
 */
export function toolVariants(tools: Tool[]): (unknown[] | undefined)[] {
  if (tools.length === 0) return [undefined, []];
  const shown = tools.map(({ name, description = '', parameters }) => {
    const schema = isObject(parameters) ? parameters : {};
    return { name, description, parameters: { type: 'object', properties: {}, ...schema } };
  });
  const simple = shown.map((tool) => ({ ...tool, parameters: simplify(tool.parameters) }));
  return [shown, simple].map((list) => list.map((tool) => ({ type: 'function', function: tool })));
}

/** Deepest nesting that is kept. No model understands a deeper schema. */
const MAX_DEPTH = 32;

/** Simplifies a schema: each part is an object with one type and a description, without `additionalProperties`. */
function simplify(schema: unknown, depth = 0): Schema {
  if (!isObject(schema) || depth > MAX_DEPTH) return { type: 'string', description: '' };
  const { type, description = '', properties, items, additionalProperties, ...rest } = schema;
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(isObject);
  const main = alternatives.find((alternative) => alternative.type !== 'null');
  const types = [type ?? (main ? simplify(main, depth + 1).type : typeOfValues(schema))].flat();
  return {
    ...rest,
    type: types.find((name) => name !== 'null') ?? 'string',
    description,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, simplify(part, depth + 1)]),
      ),
    }),
    ...(types.includes('array') && { items: simplify(items, depth + 1) }),
  };
}

function typeOfValues({ enum: values, properties, items }: Schema): string {
  if (isObject(properties)) return 'object';
  if (items !== undefined) return 'array';
  const types = new Set(Array.isArray(values) ? values.map((value) => typeof value) : []);
  return types.size === 1 && types.has('number') ? 'number' : 'string';
}
