import type { JsonSchema } from '../../../../src/core/grammar/json-schema.ts';

/** A schema, with values that its grammar must be able to write (as JSON.stringify does), and some it must not. */
export interface SchemaCase {
  name: string;
  schema: JsonSchema;
  writes?: unknown[];
  refuses?: unknown[];
}
