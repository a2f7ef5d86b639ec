import type { ShownConversation } from '../conversation/conversation.ts';
import { mostTokens } from './fill.ts';
import { wordsOf } from './words.ts';

/**
 * Says how many turns to leave out, counted from the first, so that the others have about `room` tokens. `total` is how many
 * the conversation has as it is sent now. What is kept begins with a question, and the last question is always kept. Null
 * if no more can be left out than is already.
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
