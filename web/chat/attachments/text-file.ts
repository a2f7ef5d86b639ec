import { localizeBytes } from '../messages/numbers.ts';
import type { Translate } from '../messages/translate.ts';
import { fenced } from './fenced.ts';

/** The text of an attached file: code, notes or the text of a PDF. */
export interface TextFile {
  name: string;
  /** The size of the file itself, in bytes. */
  size: number;
  text: string;
  /** The number of its pages, if it is a PDF. */
  pages?: number;
}

/**
 * The limits for files. A million characters are about 250,000 tokens, more than the context window of most models. In
 * any encoding they take at most 4 MB. A PDF may be larger, because most of it is fonts and pictures.
 */
export const TEXT_LIMITS = { bytes: 4_000_000, pdfBytes: 50_000_000, characters: 1_000_000 };

/**
 * A pasted text with more characters than this becomes a file. It has about 400 words, more than the message field
 * shows at once.
 */
export const LONG_PASTE = 2_000;

/**
 * Returns the text for the model: each file as a code block below its name, then the message. The text of a file can't
 * end its block.
 */
export function withFiles(files: TextFile[], text: string): string {
  return [...files.map(fileAsText), ...(text === '' ? [] : [text])].join('\n\n');
}

export function fileAsText({ name, text }: TextFile): string {
  return `File: ${name.replace(/\s+/g, ' ')}\n\n${fenced(text, languageOf(name))}`;
}

/** Returns a message for people if a file has too many bytes; null if it does not. */
export function fileSizeProblem(
  { name, size }: { name: string; size: number },
  limit: number,
  t: Translate,
): string | null {
  // Removes a decimal that is zero: `4 MB` instead of `4.0 MB`.
  const most = localizeBytes(limit, t.tag).replace(/[.,]0 /, ' ');
  return size > limit ? t('files.tooLarge', { name, limit: most }) : null;
}

/** Returns a message for people which says that a text has too many characters. */
export function tooLong(name: string, t: Translate): string {
  return t('files.tooLong', { name, limit: TEXT_LIMITS.characters });
}

/** Returns the size of a file in words: `1.2 kB, 40 lines`. */
export function describeFile({ size, text, pages }: TextFile, t: Translate): string {
  const lines = () => t('files.lines', { count: text.replace(/\n$/, '').split('\n').length });
  const length = pages === undefined ? lines() : t('files.pages', { count: pages });
  return t('files.size', { size: { bytes: size }, length });
}

/** Returns the first lines that are not empty, each cut to the width of a file card. */
export function firstLinesOf({ text }: TextFile): string {
  const lines = text.slice(0, 2_000).split('\n');
  const said = lines.filter((line) => line.trim() !== '').slice(0, 3);
  return said.map((line) => line.slice(0, 80)).join('\n');
}

/** Returns a file with a pasted text. `taken` has the names of the other files. */
export function pastedFile(text: string, taken: string[], t: Translate): TextFile {
  const first = t('files.pasted');
  const names = [first, ...taken.map((_, index) => t('files.pastedNumber', { number: index + 2 }))];
  const name = names.find((one) => !taken.includes(one)) ?? first;
  return { name, size: new TextEncoder().encode(text).byteLength, text: withPlainLines(text) };
}

/** Returns the text with `\n` as line ends. */
export function withPlainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Returns the extension of a file's name, as the language of its code block. */
function languageOf(name: string): string {
  return /\.([a-z][a-z0-9+#-]{0,11})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}
