import type { Token } from '../llama/llama.ts';
import { LEAST_TOKENS } from './copies.ts';

/**
 * Finds where the turns of a conversation end: before its control tokens, since templates put those around what is said. The
 * places are the same in every prompt that begins alike, so what is kept of one prompt is found by the next. Of places that are
 * close together it is the first.
 *
 * @returns the numbers of tokens up to there, ascending
 */
export function findTurnEnds(prompt: readonly Token[], isControl: (token: Token) => boolean): number[] {
  const ends: number[] = [];
  for (const [at, token] of prompt.entries()) {
    if (at - (ends.at(-1) ?? 0) >= LEAST_TOKENS && isControl(token)) ends.push(at);
  }
  return ends;
}

/**
 * Chooses where evaluating a prompt pauses so that a copy can be kept: at the first end of a turn, which is that of the system prompt,
 * and at the last two, before the latest message and before the reply. Those between were the last ones when they were new. And where
 * the prompt leaves all others, because that is where the next one of its kind leaves it too.
 *
 * @param from the tokens that need not be evaluated
 * @param left the tokens that it has in common with others
 */
export function choosePauses(ends: readonly number[], from: number, left: number): number[] {
  const ahead = ends.filter((end) => end > from);
  const places = [...new Set([...ahead.slice(0, 1), ...ahead.slice(-2)])];
  const isNear = places.some((place) => place <= left && left - place < LEAST_TOKENS);
  return left <= from || isNear ? places : [...places, left];
}
