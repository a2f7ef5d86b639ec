import { highestLogits, softmaxWeight, type TopLogits } from '../../../sampling/highest.ts';
import type { NativeCandidates } from '../llama/candidates.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { GrammarGate } from '../llama/grammar.ts';
import type { LogitsPlace, Token } from '../llama/tokens/token.ts';

export type { TopLogits };

/** The logits of some tokens, with the sum over the whole vocabulary that turns them into probabilities. */
export interface WholeLogits extends TopLogits {
  /** The denominator of the softmax: the sum of exp(logit - highest logit) over the whole vocabulary. */
  totalWeight: number;
}

/** Gives the logits after a place of the latest forward pass. */
export type LogitsSource = Pick<Decoder, 'logitsAt' | 'highestAt'>;

/** Returns the logits of these tokens, in their order. */
export function readTokens(source: LogitsSource, place: LogitsPlace, tokens: Token[]): TopLogits {
  const all = source.logitsAt(place);
  return { tokens, logits: tokens.map((token) => all[token] ?? 0) };
}

/** Returns the denominator of the softmax over all logits. `highest` is the highest of them. */
export function readWeight(source: LogitsSource, place: LogitsPlace, highest: number): number {
  return softmaxWeight(source.logitsAt(place), highest);
}

/** A grammar looks at this many of the highest logits first, in about 1 ms. */
const LOOKED_AT_FIRST = 1024;

/**
 * Returns the highest `count` logits of the tokens that a grammar allows next. Does not move the grammar on.
 *
 * @param candidates room for the whole vocabulary, which nothing else uses meanwhile
 * @param possible returns the tokens that the grammar may allow; null if most are possible
 */
export async function readAllowed(
  source: LogitsSource,
  place: LogitsPlace,
  count: number,
  grammar: GrammarGate,
  candidates: NativeCandidates,
  possible: () => Promise<Int32Array | null>,
): Promise<TopLogits> {
  const first = source.highestAt(place, LOOKED_AT_FIRST);
  candidates.fill(first.tokens, first.logits);
  await grammar.mask(candidates);
  const kept = first.tokens.flatMap((token, index) => {
    const logit = candidates.logitAt(index);
    return logit === Number.NEGATIVE_INFINITY ? [] : [{ token, logit }];
  });
  if (kept.length >= count) {
    const highest = kept.slice(0, count);
    return { tokens: highest.map(({ token }) => token), logits: highest.map(({ logit }) => logit) };
  }
  // At all tokens of a large vocabulary, the grammar would look for 100 ms and more.
  const tokens = await possible();
  if (tokens) {
    const all = source.logitsAt(place);
    candidates.fill(
      tokens,
      Float32Array.from(tokens, (token) => all[token] ?? 0),
    );
    await grammar.mask(candidates);
    const highest = highestLogits(candidates.logits(), count);
    if (highest.tokens.length > 0) return { ...highest, tokens: highest.tokens.map((index) => tokens[index] ?? 0) };
  }
  candidates.fillAll(source.logitsAt(place));
  await grammar.mask(candidates);
  return highestLogits(candidates.logits(), count);
}
