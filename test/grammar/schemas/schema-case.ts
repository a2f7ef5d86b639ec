import type { JsonSchema } from '../../../src/contract/json-schema.ts';

/** A schema with values that its grammar must match, as `JSON.stringify` writes them, and values that it must not. */
export interface SchemaCase {
  name: string;
  schema: JsonSchema;
  writes?: unknown[];
  refuses?: unknown[];
  /** Values that the grammar writes although the schema does not allow them: the check must find these. */
  slips?: unknown[];
  /** True if the schema has a tuple of draft 7. */
  draft7?: boolean;
}
