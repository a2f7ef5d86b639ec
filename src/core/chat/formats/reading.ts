/** How much space next to a mark belongs to it, which is how much is held back for a mark that may come. */
const MAX_SPACE = 64;

/** The text of a reply as far as it has come. */
export interface Input {
  /** What has come and is not read yet. */
  rest: string;
  /** What was read but not given out yet, since it may turn out to be something else. */
  taken: string;
  /** Whether no more text comes. */
  ended: boolean;
}

/**
 * A part of a parser. It yields where it can't go on without more text, so that what it makes of a text does not
 * depend on the pieces that the text comes in. Once the input has ended it never yields.
 */
export type Reading<T> = Generator<undefined, T, undefined>;

/** Moves text from `rest` to `taken`. */
export function consume(input: Input, length: number): string {
  const text = input.rest.slice(0, length);
  input.rest = input.rest.slice(length);
  input.taken += text;
  return text;
}

/** Ends the holding back: gives what was read since the last release. */
export function release(input: Input): string {
  const text = input.taken;
  input.taken = '';
  return text;
}

/** Reads the mark if it comes next. */
export function* take(input: Input, mark: string): Reading<boolean> {
  while (!input.ended && input.rest.length < mark.length && mark.startsWith(input.rest)) yield;
  if (!input.rest.startsWith(mark)) return false;
  consume(input, mark.length);
  return true;
}

/** Reads a closing mark and the space before it, if they come next. A reply may end before or inside of the mark. */
export function* takeClosing(input: Input, mark: string): Reading<boolean> {
  yield* skipSpace(input);
  if (yield* take(input, mark)) return true;
  if (!input.ended || !mark.startsWith(input.rest)) return false;
  consume(input, input.rest.length);
  return true;
}

export function* skipSpace(input: Input): Reading<void> {
  for (;;) {
    let length = 0;
    while (isSpace(input.rest, length)) length++;
    consume(input, length);
    if (input.rest !== '' || input.ended) return;
    yield;
  }
}

/** Reads up to the mark and over it. Gives the text before it, or undefined when none comes. */
export function* takeUpTo(input: Input, mark: string): Reading<string | undefined> {
  const text = yield* takeBefore(input, mark);
  if (text !== undefined) consume(input, mark.length);
  return text;
}

/** Reads up to the mark, which comes next then. Gives the text before it, or undefined when none comes. */
export function* takeBefore(input: Input, mark: string): Reading<string | undefined> {
  let text = '';
  for (;;) {
    const found = findMark(input, [mark]);
    text += consume(input, found.index);
    if (found.mark !== undefined) return text;
    if (input.ended) return undefined;
    yield;
  }
}

/**
 * Passes text on up to the first of the marks, holding back no more than what may be the beginning of a mark and the
 * space before it. Gives the mark, which is not read yet, with the space before it in `taken`; undefined at the end.
 */
export function* passUpTo(input: Input, marks: string[], pass: (text: string) => void): Reading<string | undefined> {
  for (;;) {
    const { index, mark } = findMark(input, marks);
    let end = index;
    const mayTrim = mark !== undefined || !input.ended;
    while (mayTrim && index - end < MAX_SPACE && isSpace(input.rest, end - 1)) end--;
    if (end > 0) pass(input.rest.slice(0, end));
    input.rest = input.rest.slice(end);
    if (mark !== undefined) {
      input.taken = '';
      consume(input, index - end);
      return mark;
    }
    if (input.ended) return undefined;
    yield;
  }
}

function isSpace(text: string, index: number): boolean {
  const char = text[index];
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

/** The mark that begins first. Without `mark` one may begin at `index`, the end included. No mark begins another. */
function findMark({ rest, ended }: Input, marks: string[]): { index: number; mark?: string } {
  let found: { index: number; mark?: string } = { index: rest.length };
  for (const mark of marks) {
    const index = rest.indexOf(mark);
    if (index !== -1 && index < found.index) found = { index, mark };
  }
  for (const mark of ended ? [] : marks) {
    const index = beginningAtEnd(rest, mark);
    if (index < found.index) found = { index };
  }
  return found;
}

/** Where the end of the text begins that is the beginning of the mark; the text's length for none. */
function beginningAtEnd(text: string, mark: string): number {
  let index = Math.max(0, text.length - mark.length + 1);
  while (index < text.length && !mark.startsWith(text.slice(index))) index++;
  return index;
}
