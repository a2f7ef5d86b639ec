import type { ShownConversation } from '../conversation/conversation.ts';
import { mostTokens } from './fill.ts';
import { wordsOf } from './words.ts';

/**
 * Returns the number of turns to leave out, counted from the first, so that the rest has about `room` tokens. `total`
 * is the number of tokens that the conversation has in requests now. The rest begins with a question, and contains at
 * least the last one. Returns null if no more turns can be left out.
 */
export function whereToCut(conversation: ShownConversation, total: number, room: number): number | null {
  const { turns, leftOut } = conversation;
  const from = leftOut?.turns ?? 0;
  const sizes = turns.map((turn) => mostTokens(wordsOf(turn)));
  const perByte = total / Math.max(1, sum(sizes.slice(from)));
  const starts = laterQuestions(conversation);
  const fitting = starts.find((start) => sum(sizes.slice(start)) * perByte <= room);
  return fitting ?? starts.at(-1) ?? null;
}

/** True if the last question is the only one that the model gets: then nothing can be left out. */
export function hasOneQuestion(conversation: ShownConversation): boolean {
  return laterQuestions(conversation).length === 0;
}

/** Returns the places of all questions that the model gets, but the first. */
function laterQuestions({ turns, leftOut }: ShownConversation): number[] {
  return turns.flatMap(({ role }, index) => (role === 'user' && index > (leftOut?.turns ?? 0) ? [index] : []));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
