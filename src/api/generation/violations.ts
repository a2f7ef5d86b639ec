import type { ChoiceFinished } from '../../contract/events.ts';

/** A keyword of a schema that a reply does not obey. */
export interface SchemaViolation {
  /** The index of the tool call; absent if the violation is in the content. */
  tool_call?: number;
  /** The place in the content or in the arguments, as a JSON pointer. */
  path: string;
  keyword: string;
  message: string;
}

/** The field of every dialect that tells what a reply breaks of its schemas; none if it breaks nothing. */
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
