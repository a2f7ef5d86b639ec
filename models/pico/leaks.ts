import { readCases } from './cases.ts';
import type { Conversation } from './corpus/mix.ts';

/** A text in small letters and without punctuation, as questions are compared. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

const heldOut = readCases().map(({ user }) => plain(user.at(-1) ?? ''));

/** Whether a conversation has a question of the evaluation in it, which must not be trained on. */
export function isLeak({ messages }: Conversation): boolean {
  return messages.some(({ role, content }) => {
    if (role !== 'user') return false;
    const text = plain(content ?? '');
    return heldOut.some((question) => text.includes(question));
  });
}
