import { newId } from '../generation/ids.ts';

/** A tool call of a reply, in OpenAI's form. */
export interface ToolCallObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** Makes an id for a new tool call. */
export function newToolCallId(): string {
  return newId('call');
}
