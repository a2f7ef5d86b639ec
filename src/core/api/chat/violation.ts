import type { ReplyViolation } from '../../events.ts';

/** A keyword of a schema that a reply does not obey. */
export interface SchemaViolation {
  /** The index of the tool call; absent if the violation is in the content. */
  tool_call?: number;
  /** The place in the content or in the arguments, as a JSON pointer. */
  path: string;
  keyword: string;
  message: string;
}

/** Writes violations as the API names them. */
export function toViolations(violations: ReplyViolation[]): SchemaViolation[] {
  return violations.map(({ call, path, keyword, message }) => ({
    ...(call !== undefined && { tool_call: call }),
    path,
    keyword,
    message,
  }));
}
