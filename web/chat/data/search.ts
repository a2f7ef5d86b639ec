/** An excerpt has so many characters before the words that were found, and so many after their beginning. */
const BEFORE = 24;
const AFTER = 72;

/** True if the text has these words, whatever their case. */
export function hasWords(text: string, words: string): boolean {
  return placeOf(onOneLine(text), words) >= 0;
}

/** Returns the place of a text where these words are, on one line; null if it does not have them. */
export function excerptOf(text: string, words: string): string | null {
  const line = onOneLine(text);
  const at = placeOf(line, words);
  if (at < 0) return null;
  const from = Math.max(0, at - BEFORE);
  const to = at + AFTER;
  return `${from > 0 ? '…' : ''}${line.slice(from, to).trim()}${to < line.length ? '…' : ''}`;
}

function placeOf(line: string, words: string): number {
  return line.toLowerCase().indexOf(onOneLine(words).toLowerCase());
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
