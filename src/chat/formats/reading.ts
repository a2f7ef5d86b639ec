import { beginningAtEnd } from '../../utils/beginning-at-end.ts';

/** Up to this many space characters before a mark belong to it. As many are held back while a mark may still come. */
const MAX_SPACE = 64;

/** The text of a reply so far. */
export interface Input {
  /** Text that is not read yet. */
  rest: string;
  /** Text that was read but is held back, since it may turn out to be something else. */
  taken: string;
  /** True if no more text comes. */
  ended: boolean;
  /** True if that is because of a limit. */
  isCut?: boolean;
}

/**
 * A part of a parser. It yields when it needs more text to go on, so that its result does not depend on how the text is
 * cut into pieces. Once the input has ended, it never yields.
 */
export type Reading<T> = Generator<undefined, T, undefined>;

/** Moves text from `rest` to `taken` and returns it. */
export function consume(input: Input, length: number): string {
  const text = input.rest.slice(0, length);
  input.rest = input.rest.slice(length);
  input.taken += text;
  return text;
}

/** Returns the text that is held back in `taken`, and empties `taken`. */
export function release(input: Input): string {
  const text = input.taken;
  input.taken = '';
  return text;
}

/** Reads the mark if it comes next. Returns true if it did. */
export function* takeMark(input: Input, mark: string): Reading<boolean> {
  while (!input.ended && input.rest.length < mark.length && mark.startsWith(input.rest)) yield;
  if (!input.rest.startsWith(mark)) return false;
  consume(input, mark.length);
  return true;
}

/** Like `takeMark`, for a closing mark with space before it. A reply may end before or inside such a mark. */
export function* takeClosing(input: Input, mark: string): Reading<boolean> {
  yield* skipSpace(input);
  if (yield* takeMark(input, mark)) return true;
  if (!input.ended || !mark.startsWith(input.rest)) return false;
  consume(input, input.rest.length);
  return true;
}

/** Skips white space. Pauses where the text so far has nothing else, because more of it may follow. */
export function* skipSpace(input: Input): Reading<void> {
  for (;;) {
    let length = 0;
    while (isSpace(input.rest, length)) length++;
    consume(input, length);
    if (input.rest !== '' || input.ended) return;
    yield;
  }
}

/** Reads up to and including the mark. Returns the text before it, or undefined if the mark never comes. */
export function* takeUpTo(input: Input, mark: string): Reading<string | undefined> {
  const text = yield* takeBefore(input, mark);
  if (text !== undefined) consume(input, mark.length);
  return text;
}

/** Reads up to the mark, which then comes next. Returns the text before it, or undefined if the mark never comes. */
export function takeBefore(input: Input, mark: string): Reading<string | undefined> {
  return takeBeforeAny(input, [mark]);
}

/** Like `takeBefore`, for the first of several marks. */
export function* takeBeforeAny(input: Input, marks: string[]): Reading<string | undefined> {
  let text = '';
  for (;;) {
    const found = findMark(input, marks);
    text += consume(input, found.index);
    if (found.mark !== undefined) return text;
    if (input.ended) return undefined;
    yield;
  }
}

/**
 * Passes text on up to the first of the marks. Holds back only what may be the beginning of a mark, and the space
 * before it. Returns the mark, or undefined at the end of the reply. The mark itself is not read yet; the space before
 * it is in `taken`.
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

/**
 * Finds the mark that begins first. A result without `mark` means that a mark may begin at `index`, but is not complete
 * yet; `index` is the length of the text if no mark begins. No mark may be the beginning of another mark.
 */
function findMark({ rest, ended }: Input, marks: string[]): { index: number; mark?: string } {
  let found: { index: number; mark?: string } = { index: rest.length };
  for (const mark of marks) {
    const index = rest.indexOf(mark);
    if (index !== -1 && index < found.index) found = { index, mark };
  }
  for (const mark of ended ? [] : marks) {
    const index = rest.length - beginningAtEnd(rest, mark);
    if (index < found.index) found = { index };
  }
  return found;
}
