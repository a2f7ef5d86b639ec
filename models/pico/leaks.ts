import { CASES, MENDED_CASES, readCases } from './cases.ts';
import type { Conversation } from './generator/mix.ts';

/** A text in small letters and without punctuation, for comparing questions. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

const heldOut = [CASES, MENDED_CASES].flatMap((path) => readCases(path)).map(({ user }) => plain(user.at(-1) ?? ''));

/** True for a conversation with a question of the evaluation in it. Such a conversation must not be trained on. */
export function isLeak({ messages }: Conversation): boolean {
  return messages.some(({ role, content }) => {
    if (role !== 'user') return false;
    const text = plain(content ?? '');
    return heldOut.some((question) => text.includes(question));
  });
}
