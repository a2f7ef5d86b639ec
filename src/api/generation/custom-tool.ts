import type { Tool } from '../../contract/tool.ts';
import { toTool } from './conversation.ts';

/**
 * A custom tool takes one free text in place of JSON. The model gets it as a function with that text as its one argument; the
 * reply's arguments are turned back.
 */
export function customTool(tool: { name: string; description?: string | null | undefined }): Tool {
  const properties = { input: { type: 'string' } };
  return toTool({
    ...tool,
    parameters: { type: 'object', properties, required: ['input'], additionalProperties: false },
  });
}

/** The arguments of a custom tool's call in the history. */
export function toArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The text in the arguments of a custom tool's call, as far as they are written. */
export function inputOf(json: string): string {
  return createInputReader()(json);
}

/** What is before the text. */
const OPENING = /^\s*\{\s*"input"\s*:\s*"/;
/** Whole characters of the text. An escape that is cut waits for its rest. */
const CHARACTERS = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))+/;

/** Returns a function that takes the pieces of a call's arguments, and gives what each adds to the text. */
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
