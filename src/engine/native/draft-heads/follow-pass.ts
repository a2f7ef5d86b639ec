import type { HiddenRows } from '../llama/hidden/hidden-rows.ts';
import type { Part } from '../llama/pass-order.ts';
import type { HeadCache } from './head-cache.ts';

/** A sequence that lags behind this far is caught up with. Fewer tokens wait for the next guess, which evaluates them too. */
export const MOST_LAG = 64;

/**
 * Has the cache of a draft head follow a forward pass of the model. Resolves to true if the cache has evaluated what sequences lacked,
 * as after a batch of a prompt. Throws if it cannot.
 *
 * @param hidden the pass's hidden rows; undefined if it is unknown which is whose
 */
export async function followPass(
  cache: Pick<HeadCache, 'trail' | 'drop' | 'forget' | 'catchUp'>,
  parts: readonly Part[],
  hidden: HiddenRows | undefined,
  threads: number,
): Promise<boolean> {
  let place = 0;
  for (const part of parts) {
    notePart(cache, part, hidden && rowsOf(part, place, hidden));
    place += part.tokens.length;
  }
  const behind = parts.map(({ sequence }) => sequence).filter((sequence) => cache.trail(sequence).lag >= MOST_LAG);
  if (behind.length === 0) return false;
  await cache.catchUp(behind, threads);
  return true;
}

function notePart(
  cache: Pick<HeadCache, 'trail' | 'drop' | 'forget'>,
  { sequence, at, position = at, tokens, rows: media }: Part,
  rows: readonly Float32Array[] | undefined,
): void {
  if (rows && !media) cache.drop(sequence, cache.trail(sequence).pass(position, tokens, rows));
  // An image has no tokens to guess from.
  else cache.forget(sequence);
}

/** Returns the hidden row of each token of a part, whose first token has this place in the pass. */
function rowsOf({ tokens }: Part, place: number, hidden: HiddenRows): Float32Array[] {
  const all = hidden.at(place, tokens.length);
  const width = all.length / tokens.length;
  return tokens.map((_, index) => all.subarray(index * width, (index + 1) * width));
}
