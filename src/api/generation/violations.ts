import type { ChoiceFinished } from '../../contract/events.ts';

/** A keyword of a schema that a reply violates. */
export interface SchemaViolation {
  /** The index of the tool call; absent if the violation is in the content. */
  tool_call?: number;
  /** The place in the content or in the arguments, as a JSON pointer. */
  path: string;
  keyword: string;
  message: string;
}

/** Returns the field with the schema violations of a reply, which every dialect has; no field if there are none. */
export function violationFields({ violations }: Pick<ChoiceFinished, 'violations'>): {
  schema_violations?: SchemaViolation[];
} {
  if (!violations) return {};
  const schema_violations = violations.map(({ call, path, keyword, message }) => ({
    ...(call !== undefined && { tool_call: call }),
    path,
    keyword,
    message,
  }));
  return { schema_violations };
}
