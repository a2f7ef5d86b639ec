import type { Tool } from '../../contract/tool.ts';
import { toTool } from './conversation.ts';

/**
 * Returns a custom tool, which takes one free text instead of JSON, as a function with this text as its only argument.
 * The arguments in the reply are turned back into the text.
 */
export function customTool(tool: { name: string; description?: string | null | undefined }): Tool {
  const properties = { input: { type: 'string' } };
  return toTool({
    ...tool,
    parameters: { type: 'object', properties, required: ['input'], additionalProperties: false },
  });
}

/** Returns the arguments for a custom tool's call in the history. */
export function toArguments(input: string): string {
  return JSON.stringify({ input });
}

/** Returns the text in the arguments of a custom tool's call. The arguments may be incomplete. */
export function inputOf(json: string): string {
  return createInputReader()(json);
}

/** The part of the arguments before the text. */
const OPENING = /^\s*\{\s*"input"\s*:\s*"/;
/** Whole characters of the text. An incomplete escape at the end is not matched. */
const CHARACTERS = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))+/;

/** Returns a function that takes the next piece of a call's arguments, and returns the text in it. */
export function createInputReader(): (piece: string) => string {
  let unread = '';
  let begun = false;
  return (piece) => {
    unread += piece;
    if (!begun) {
      const [opening] = OPENING.exec(unread) ?? [];
      if (opening === undefined) return '';
      begun = true;
      unread = unread.slice(opening.length);
    }
    const [text = ''] = CHARACTERS.exec(unread) ?? [];
    unread = unread.slice(text.length);
    return JSON.parse(`"${text}"`);
  };
}
