/** A tool call of a reply, as OpenAI's clients read it. */
export interface ToolCallObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** An id for a new tool call. */
export function newToolCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
