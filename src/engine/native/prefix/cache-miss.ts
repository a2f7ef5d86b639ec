import type { CacheMiss } from '../../../contract/events.ts';
import type { Token } from '../llama/tokens/token.ts';
import { BLOCK, commonLength } from './prefix.ts';

/** Why the cache had no more of a prompt. The engine adds the text around the place: this module only sees tokens. */
export type Miss = Omit<CacheMiss, 'before' | 'after'>;

/** A text is recognized by pieces of `PIECE` tokens, one piece at the beginning of every `STRIDE` tokens. */
const PIECE = 8;
const STRIDE = 32;

/**
 * Returns why no more tokens of a prompt came from the cache: they were evicted, they are new, or the prompt has
 * changed at a place. Returns null if nothing was missed, because the prompt continues what was cached.
 *
 * @param taken the number of tokens that came from the cache
 * @param lost the number of first tokens that were evicted recently; 0 if a slot still holds them
 * @param cached the tokens of each idle slot with the same scope
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

/**
 * True if at least half of a text's pieces are anywhere in a prompt: both are then the same conversation, with an
 * earlier change.
 */
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
