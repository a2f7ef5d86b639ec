import type { ShownConversation } from '../conversation/conversation.ts';
import { mostTokens } from './fill.ts';
import { wordsOf } from './words.ts';

/**
 * Returns the number of turns to leave out, counted from the first, so that the rest has about `room` tokens. `total`
 * is the number of tokens that the conversation has in requests now. The rest begins with a question, and contains at
 * least the last one. Returns null if no more turns can be left out.
 */
export function whereToCut({ turns, leftOut }: ShownConversation, total: number, room: number): number | null {
  const from = leftOut?.turns ?? 0;
  const sizes = turns.map((turn) => mostTokens(wordsOf(turn)));
  const perByte = total / Math.max(1, sum(sizes.slice(from)));
  const starts = turns.flatMap(({ role }, index) => (role === 'user' && index > from ? [index] : []));
  const fitting = starts.find((start) => sum(sizes.slice(start)) * perByte <= room);
  return fitting ?? starts.at(-1) ?? null;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
