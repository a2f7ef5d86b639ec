/**
 * How a template writes the calls of a message. Every text is as the template writes it, with its space. The texts may
 * have holes: see `HOLES`.
 */
export interface CallShape {
  /** The text before the first call, between two calls and after the last one. */
  open: string;
  separator: string;
  close: string;
  /** The text before the name of a call, and after its arguments. */
  before: string;
  after: string;
  arguments: JsonArguments | TaggedArguments;
}

/** Arguments that are written as one JSON object. */
export interface JsonArguments {
  kind: 'json';
  /** The text between the name and the object. */
  between: string;
  /** Set if the name is inside of JSON, too. */
  json?: JsonCall;
}

/** A call that is JSON as a whole. */
export interface JsonCall {
  /** The text before and after all JSON of a message. */
  open: string;
  close: string;
  /** The key of the name; null if the name is the key of the arguments. */
  nameKey: string | null;
  argumentsKey: string | null;
}

/** Arguments of which each has marks of its own around its name and its value. */
export interface TaggedArguments {
  kind: 'tagged';
  /** The text between the name and the first argument. */
  open: string;
  /** The text before the name of an argument. */
  key: string;
  /** The text between the name and a value that is text, and that between the name and any other value. */
  text: string;
  other: string;
  /** The text after a value, and the text between two arguments. */
  end: string;
  separator: string;
  /** The text between the name and `after` of a call without arguments. */
  none: string;
}

/** Characters in the texts of a shape that stand for what differs from call to call. No template writes them. */
export const HOLES = {
  /** The id of the call. */
  id: '\u{E010}',
  /** The number of the call in its message, counted from 0 and from 1. */
  fromZero: '\u{E011}',
  fromOne: '\u{E012}',
  /** The name of the JSON type of a value. */
  type: '\u{E013}',
  /** The name of the tool. */
  name: '\u{E014}',
} as const;

/** Matches a hole. */
export const HOLE = /[\u{E010}-\u{E014}]/u;

/** Fills the holes of a text, for a call of a tool, with this number in its message. */
export function fillHoles(text: string, index: number, name = ''): string {
  return text
    .replaceAll(HOLES.name, name)
    .replaceAll(HOLES.id, String(index).padStart(9, '0'))
    .replaceAll(HOLES.fromZero, String(index))
    .replaceAll(HOLES.fromOne, String(index + 1));
}
