import type { Tool } from '../../tool.ts';

/**
 * A custom tool takes one free text in place of JSON. The model gets it as a function with that text as its one argument; the
 * reply's arguments are turned back.
 */
export function customTool(name: string, description: string | null | undefined): Tool {
  const input = { type: 'string' };
  return {
    name,
    ...(description && { description }),
    parameters: { type: 'object', properties: { input }, required: ['input'], additionalProperties: false },
  };
}

/** The arguments of a custom tool's call in the history. */
export function toArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The text in the arguments of a custom tool's call, as far as they are written. */
export function inputOf(json: string): string {
  // The last escape may be cut; it is left for later.
  const [, text = ''] = /^\s*\{\s*"input"\s*:\s*"((?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)/.exec(json) ?? [];
  return JSON.parse(`"${text}"`);
}

/** Returns a function that takes the pieces of a call's arguments, and gives what each adds to the text. */
export function createInputReader(): (piece: string) => string {
  let json = '';
  let told = 0;
  return (piece) => {
    json += piece;
    const added = inputOf(json).slice(told);
    told += added.length;
    return added;
  };
}
