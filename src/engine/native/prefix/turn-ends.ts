import type { Token } from '../llama/tokens/token.ts';
import { LEAST_TOKENS } from './copies.ts';

/**
 * Finds the ends of a conversation's turns: they are before the control tokens that a template puts around each
 * message. Prompts with the same beginning have the same ends there, so a copy made at the end of a turn serves the
 * next prompt. Ends that follow another one within `LEAST_TOKENS` are left out.
 *
 * @returns the number of tokens before each end, ascending
 */
export function findTurnEnds(prompt: readonly Token[], isControl: (token: Token) => boolean): number[] {
  const ends: number[] = [];
  for (const [at, token] of prompt.entries()) {
    if (at - (ends.at(-1) ?? 0) >= LEAST_TOKENS && isControl(token)) ends.push(at);
  }
  return ends;
}

/**
 * Chooses the places at which the prefill of a prompt pauses so that a copy can be made: the first end of a turn, which
 * follows the system prompt, and the last two, before the latest message and before the reply. The ends between them
 * were copied when they were the last ones. Another place is where the prompt departs from all other slots: the next
 * prompt of its kind departs there, too.
 *
 * @param from the number of tokens that need not be evaluated
 * @param left the number of first tokens that the prompt shares with another slot
 */
export function choosePauses(ends: readonly number[], from: number, left: number): number[] {
  const ahead = ends.filter((end) => end > from);
  const places = [...new Set([...ahead.slice(0, 1), ...ahead.slice(-2)])];
  const isNear = places.some((place) => place <= left && left - place < LEAST_TOKENS);
  return left <= from || isNear ? places : [...places, left];
}
