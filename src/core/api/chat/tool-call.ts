/** A tool call of a reply, in OpenAI's form. */
export interface ToolCallObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** Makes an id for a new tool call. */
export function newToolCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
