/** A JSON Schema, as OpenAPI 3.1 has it: https://json-schema.org/draft/2020-12 */
export type ApiSchema = { [keyword: string]: unknown };

// The words in which the families of endpoints describe their responses.

export const string: ApiSchema = { type: 'string' };
export const number: ApiSchema = { type: 'number' };
export const integer: ApiSchema = { type: 'integer' };
export const boolean: ApiSchema = { type: 'boolean' };

/** The schema of that name in the document. */
export const ref = (name: string): ApiSchema => ({ $ref: `#/components/schemas/${name}` });
export const array = (items: ApiSchema): ApiSchema => ({ type: 'array', items });
export const nullable = (schema: ApiSchema): ApiSchema => ({ anyOf: [schema, { type: 'null' }] });
export const enumeration = (...values: string[]): ApiSchema => ({ type: 'string', enum: values });

/** An object that has all of `properties`, but may lack the optional ones. */
export function object(properties: Record<string, ApiSchema>, optional: Record<string, ApiSchema> = {}): ApiSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

/** The properties of OpenAI's lists. */
export const listOf = (items: ApiSchema) => ({ object: { const: 'list' }, data: array(items) });

/** The properties that all objects of a completion begin with. */
export const completionHead = (object: string) => ({
  id: string,
  object: { const: object },
  created: integer,
  model: string,
  system_fingerprint: string,
});

export const finishReason = enumeration('stop', 'length', 'tool_calls', 'content_filter');
export const shortUsage = object({ prompt_tokens: integer, total_tokens: integer });
export const backend = enumeration('gpu', 'cpu', 'wasm');
