import { compareStamps, type Stamp } from '../conversation/tree/stamp.ts';
import type { MessageNode, MessageNodes } from '../conversation/tree/tree.ts';

/** An excerpt has so many characters before the words that were found, and so many from their beginning on. */
const BEFORE = 24;
const AFTER = 72;

/** So much of a text is looked at for them: it may have long runs of spaces. */
const WIDER = 10;

/** Where words were found in a conversation. */
export interface SearchHit {
  messageId: string;
  made: Stamp;
  /** The words, with some around them. */
  excerpt: string;
  /** The name of the attached file in which they are. */
  file?: string;
}

/** What shows the place where words were found. */
export interface FoundPlace {
  /** The turn on the page. */
  turnId: string;
  words: string;
  /** The name of the file of that turn in which they are. */
  file?: string | undefined;
}

/** True if the text has these words, whatever their case and the spaces between them. */
export function hasWords(text: string, words: string): boolean {
  return patternOf(words).test(text);
}

/** Returns the place of a text where these words are, on one line; null if it does not have them. */
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

/** Looks into a message: its text, its files, and their names. Null if it was deleted, or has not got these words. */
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

/** Of two finds in one conversation, the one that was said last. */
export function lastFind(one: SearchHit | undefined, other: SearchHit): SearchHit {
  return one && compareStamps(one.made, other.made) > 0 ? one : other;
}

/** The id of the turn that shows a message: the reply that called a tool shows its result. */
export function shownBy(messages: MessageNodes, id: string): string {
  let message = messages[id];
  while (message?.turn.value.role === 'tool' && message.parent !== null) message = messages[message.parent];
  return message?.id ?? id;
}

/** Matches these words, whatever their case. */
export function patternOf(words: string, between = '\\s+'): RegExp {
  const all = words.trim().split(/\s+/);
  return new RegExp(all.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join(between), 'iu');
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
