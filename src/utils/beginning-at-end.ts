/**
 * Returns how many characters at the end of a text are the beginning of `mark`: the rest of the mark may follow. A text that
 * ends with the whole mark does not count as one that may go on.
 */
export function beginningAtEnd(text: string, mark: string): number {
  let index = Math.max(0, text.length - mark.length + 1);
  while (index < text.length && !mark.startsWith(text.slice(index))) index++;
  return text.length - index;
}
