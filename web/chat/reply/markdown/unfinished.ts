/**
 * Returns the part of a growing text whose form can't change any more. The rest is held back for a moment. Otherwise a
 * `-` would first be an underline and then a list, the first line of a table would be a paragraph, and the language of
 * a code block would change with each letter.
 */
export function decidedPart(text: string): string {
  const start = text.lastIndexOf('\n') + 1;
  const last = text.slice(start);
  const [lineBefore, startBefore] = lineEndingAt(text, start - 1);
  if (isRow(lineBefore) && /^[|:\-\s]*$/.test(last) && !isRow(lineEndingAt(text, startBefore - 1)[0])) {
    return text.slice(0, startBefore);
  }
  const undecided = MARKS_ALONE.test(last) || FENCE.test(last) || (isRow(last) && !isRow(lineBefore));
  return undecided ? text.slice(0, start) : text;
}

/** A few characters of Markdown's markup without a word. */
const MARKS_ALONE = /^[-=*_`~#>:+.\d\s()[\]\\$<!]{1,12}$/;

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

function isRow(line: string): boolean {
  return /^ {0,3}\|/.test(line);
}

/** Returns the line whose line break is at index `end`, and the index of its start. */
function lineEndingAt(text: string, end: number): [line: string, start: number] {
  if (end < 0) return ['', 0];
  const start = text.lastIndexOf('\n', end - 1) + 1;
  return [text.slice(start, end), start];
}
