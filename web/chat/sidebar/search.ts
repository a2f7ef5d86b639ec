import { compareStamps, type Stamp } from '../conversation/tree/stamp.ts';
import type { MessageNode, MessageNodes } from '../conversation/tree/tree.ts';

/** The length of an excerpt in characters: before the found words, and from the beginning of the words. */
const BEFORE = 24;
const AFTER = 72;

/**
 * The excerpt is cut from a section of the text that is this many times longer, because runs of spaces are shortened.
 */
const WIDER = 10;

/** A match of a search in a conversation. */
export interface SearchHit {
  messageId: string;
  made: Stamp;
  /** The found words with their context. */
  excerpt: string;
  /** The name of the attached file that contains the words; absent for the message itself. */
  file?: string;
}

/** The place of a match on the page. */
export interface FoundPlace {
  /** The id of the turn that shows the match. */
  turnId: string;
  words: string;
  /** The name of the turn's file that contains the words. */
  file?: string | undefined;
}

/** True if the text contains these words, ignoring case and the spaces between them. */
export function hasWords(text: string, words: string): boolean {
  return patternOf(words).test(text);
}

/**
 * Returns the first occurrence of these words with its context, on one line; null if the text does not contain them.
 */
export function excerptOf(text: string, words: string): string | null {
  const at = patternOf(words).exec(text)?.index;
  if (at === undefined) return null;
  const before = onOneLine(text.slice(Math.max(0, at - BEFORE * WIDER), at)).trimStart();
  const after = onOneLine(text.slice(at, at + AFTER * WIDER)).trimEnd();
  const isCutBefore = before.length > BEFORE || at > BEFORE * WIDER;
  const isCutAfter = after.length > AFTER || text.length > at + AFTER * WIDER;
  const line = (before.slice(-BEFORE) + after.slice(0, AFTER)).trim();
  return `${isCutBefore ? '…' : ''}${line}${isCutAfter ? '…' : ''}`;
}

/**
 * Searches a message: its text, its files, and their names. Returns null if it does not contain the words or was
 * deleted.
 */
export function findIn({ id, made, deleted, turn: { value } }: MessageNode, words: string): SearchHit | null {
  if (deleted.value) return null;
  const files = value.role === 'user' ? (value.files ?? []) : [];
  const inText = excerptOf(value.text, words);
  if (inText !== null) return { messageId: id, made, excerpt: inText };
  for (const { name, text } of files) {
    const excerpt = excerptOf(text, words);
    if (excerpt !== null) return { messageId: id, made, excerpt, file: name };
  }
  const named = files.find(({ name }) => hasWords(name, words));
  return named ? { messageId: id, made, excerpt: named.name } : null;
}

/** Returns the match in the later message of a conversation. */
export function lastFind(one: SearchHit | undefined, other: SearchHit): SearchHit {
  return one && compareStamps(one.made, other.made) > 0 ? one : other;
}

/** Returns the id of the turn that shows a message: the result of a tool is shown by the reply that called it. */
export function shownBy(messages: MessageNodes, id: string): string {
  let message = messages[id];
  while (message?.turn.value.role === 'tool' && message.parent !== null) message = messages[message.parent];
  return message?.id ?? id;
}

/** Returns a pattern for these words that ignores case. */
export function patternOf(words: string, between = '\\s+'): RegExp {
  const all = words.trim().split(/\s+/);
  return new RegExp(all.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join(between), 'iu');
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
