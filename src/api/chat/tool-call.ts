import { newPrefixedId } from '../generation/ids.ts';

/** A call of a function, in OpenAI's form. */
export interface ToolCallObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A call of a tool that takes a free text. */
export interface CustomCallObject {
  id: string;
  type: 'custom';
  custom: { name: string; input: string };
}

/** Makes an id for a new tool call. */
export function newToolCallId(): string {
  return newPrefixedId('call');
}
