import type { JsonSchema } from './json-schema.ts';

/** A function that the model may call. */
export interface Tool {
  name: string;
  description?: string;
  /** JSON schema of the arguments. Absent if the function takes none. */
  parameters?: JsonSchema;
}
