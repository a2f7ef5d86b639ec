/** A JSON Schema, in the dialect of OpenAPI 3.1: https://json-schema.org/draft/2020-12 */
export type ApiSchema = { [keyword: string]: unknown };

// Below are the parts from which the families of endpoints build the schemas of their responses.

export const string: ApiSchema = { type: 'string' };
export const number: ApiSchema = { type: 'number' };
export const integer: ApiSchema = { type: 'integer' };
export const boolean: ApiSchema = { type: 'boolean' };

/** A reference to the schema with this name in the document. */
export const ref = (name: string): ApiSchema => ({ $ref: `#/components/schemas/${name}` });
export const array = (items: ApiSchema): ApiSchema => ({ type: 'array', items });
export const nullable = (schema: ApiSchema): ApiSchema => ({ anyOf: [schema, { type: 'null' }] });
export const enumeration = (...values: string[]): ApiSchema => ({ type: 'string', enum: values });

/** An object that has all of `properties` and may have those in `optional`. */
export function object(properties: Record<string, ApiSchema>, optional: Record<string, ApiSchema> = {}): ApiSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

/** The properties of a list, as OpenAI defines lists. */
export const listOf = (items: ApiSchema) => ({ object: { const: 'list' }, data: array(items) });

/** A page of a list, with the ids of its first and last item. */
export const pageList = (items: ApiSchema) =>
  object({ ...listOf(items), first_id: nullable(string), last_id: nullable(string), has_more: boolean });

/** The first properties of all completion objects. */
export const completionHeadProperties = (object: string) => ({
  id: string,
  object: { const: object },
  created: integer,
  model: string,
  system_fingerprint: string,
});

/** The schema violations of a reply. The field is present only if there are any. */
export const violations = {
  schema_violations: array(object({ path: string, keyword: string, message: string }, { tool_call: integer })),
};

export const finishReason = enumeration('stop', 'length', 'tool_calls', 'content_filter');
export const shortUsage = object({ prompt_tokens: integer, total_tokens: integer });
export const backend = enumeration('gpu', 'cpu', 'wasm');
