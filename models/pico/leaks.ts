import { CASES, MENDED_CASES, readCases } from './cases.ts';
import type { Conversation } from './generator/mix.ts';

/** Returns a text in lower case and without punctuation, for comparing questions. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

const heldOut = [CASES, MENDED_CASES].flatMap((path) => readCases(path)).map(({ user }) => plain(user.at(-1) ?? ''));

/** True if a conversation contains a question of the evaluation. It must not be used for training. */
export function isLeak({ messages }: Conversation): boolean {
  return messages.some(({ role, content }) => {
    if (role !== 'user') return false;
    const text = plain(content ?? '');
    return heldOut.some((question) => text.includes(question));
  });
}
