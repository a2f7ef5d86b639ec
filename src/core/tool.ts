import type { JsonSchema } from './grammar/json-schema.ts';

/** A function that the model may call. */
export interface Tool {
  name: string;
  description?: string;
  /** JSON schema of its arguments; absent means none. */
  parameters?: JsonSchema;
}
