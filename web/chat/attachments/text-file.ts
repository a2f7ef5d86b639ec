import { formatBytes } from '../messages/numbers.ts';
import type { Translate } from '../messages/translate.ts';
import { fenced } from './fenced.ts';

/** The text of a file that is attached to a message: code, notes, or what a PDF says. */
export interface TextFile {
  name: string;
  /** The size of the file itself, in bytes. */
  size: number;
  text: string;
  /** The number of its pages, if it is a PDF. */
  pages?: number;
}

/**
 * The largest files. A million characters are about 250,000 tokens, more than the context window of most models, and as
 * bytes they fit into the first limit in any encoding. A PDF is mostly fonts and pictures.
 */
export const TEXT_LIMITS = { bytes: 4_000_000, pdfBytes: 50_000_000, characters: 1_000_000 };

/**
 * A paste with more characters becomes a file. It is about 400 words: more than the message field shows at once, so
 * nobody would edit it there.
 */
export const LONG_PASTE = 2_000;

/**
 * Makes the text for the model: each file as a block of code below its name, then the message. A file's text can't end
 * its block.
 */
export function withFiles(files: TextFile[], text: string): string {
  return [...files.map(fileAsText), ...(text === '' ? [] : [text])].join('\n\n');
}

export function fileAsText({ name, text }: TextFile): string {
  return `File: ${name.replace(/\s+/g, ' ')}\n\n${fenced(text, languageOf(name))}`;
}

/** Says for people why a file has too many bytes; null if it has not. */
export function tooLarge({ name, size }: { name: string; size: number }, limit: number, t: Translate): string | null {
  // The limit is written without a decimal that is zero: `4 MB` instead of `4.0 MB`.
  const most = formatBytes(limit, t.tag).replace(/[.,]0 /, ' ');
  return size > limit ? t('files.tooLarge', { name, limit: most }) : null;
}

export function tooLong(name: string, t: Translate): string {
  return t('files.tooLong', { name, limit: TEXT_LIMITS.characters });
}

/** Says how much there is in a file: `1.2 kB, 40 lines`. */
export function describeFile({ size, text, pages }: TextFile, t: Translate): string {
  const lines = () => t('files.lines', { count: text.replace(/\n$/, '').split('\n').length });
  const length = pages === undefined ? lines() : t('files.pages', { count: pages });
  return t('files.size', { size: { bytes: size }, length });
}

/** The first lines of a file with words in them, each cut off where a small card ends. */
export function beginningOf({ text }: TextFile): string {
  const lines = text.slice(0, 2_000).split('\n');
  const said = lines.filter((line) => line.trim() !== '').slice(0, 3);
  return said.map((line) => line.slice(0, 80)).join('\n');
}

/** Makes a file of a pasted text. `taken` holds the names that are given already. */
export function pastedFile(text: string, taken: string[], t: Translate): TextFile {
  const first = t('files.pasted');
  const names = [first, ...taken.map((_, index) => t('files.pastedNumber', { number: index + 2 }))];
  const name = names.find((one) => !taken.includes(one)) ?? first;
  return { name, size: new TextEncoder().encode(text).byteLength, text: withPlainLines(text) };
}

/** Writes line ends as `\n`. */
export function withPlainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** The language that a block of code names: the ending of the file's name. */
function languageOf(name: string): string {
  return /\.([a-z][a-z0-9+#-]{0,11})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}
