import type { CacheMiss } from '../../../contract/events.ts';
import type { Token } from '../llama/llama.ts';
import { BLOCK, commonLength } from './prefix.ts';

/** Why a prompt was not taken from the cache any further. Engines show the text around the place, which this module does not know. */
export type Miss = Omit<CacheMiss, 'before' | 'after'>;

/** Tokens in a row by which a piece of a text is recognized, and how many tokens there are between the pieces that are looked for. */
const PIECE = 8;
const STRIDE = 32;

/**
 * Says why no more of a prompt was taken from the cache; null if nothing was missed, since the prompt only goes on after what was
 * cached.
 *
 * @param taken the number of tokens that were taken
 * @param lost the number of first tokens that were cached not long ago, if nobody has them any more; else 0
 * @param cached what idle slots of the same scope hold
 */
export function explainMiss(
  prompt: readonly Token[],
  taken: number,
  lost: number,
  cached: readonly (readonly Token[])[],
): Miss | null {
  if (taken >= prompt.length - 1) return null;
  if (lost >= taken + BLOCK) return { at: taken, why: 'evicted' };
  const shared = cached.map((tokens) => ({ tokens, length: commonLength(tokens, prompt) }));
  if (shared.some(({ tokens, length }) => length === tokens.length && length === taken && length > 0)) return null;
  const changed = shared.filter(
    ({ tokens, length }) => length < tokens.length && (length * 2 >= tokens.length || resembles(tokens, prompt)),
  );
  if (changed.length === 0) return { at: taken, why: 'new' };
  return { at: Math.max(taken, ...changed.map(({ length }) => length)), why: 'changed' };
}

/** Whether at least half of a text is found in a prompt, wherever: so it is the same conversation with a change before it. */
function resembles(text: readonly Token[], prompt: readonly Token[]): boolean {
  const starts = Array.from({ length: Math.floor(text.length / STRIDE) }, (_, index) => index * STRIDE);
  if (starts.length < 2) return false;
  const byToken = new Map<Token | undefined, number[]>();
  for (const start of starts) byToken.set(text[start], [...(byToken.get(text[start]) ?? []), start]);
  const found = new Set<number>();
  for (const [at, token] of prompt.entries()) {
    for (const start of byToken.get(token) ?? []) if (isSame(text, start, prompt, at)) found.add(start);
    if (found.size * 2 >= starts.length) return true;
  }
  return false;
}

function isSame(text: readonly Token[], start: number, prompt: readonly Token[], at: number): boolean {
  for (let offset = 0; offset < PIECE; offset++) if (text[start + offset] !== prompt[at + offset]) return false;
  return true;
}
