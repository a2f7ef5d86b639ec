import type { TokenLogprob } from '../../../contract/events.ts';
import type { LogitsPlace, Token } from '../llama/tokens/token.ts';
import { type LogitsSource, readTokens, readWeight } from './read-logits.ts';
import { type Drawn, joined, rank } from './token-drawer.ts';

/** Collects the log probability of each token of a prompt. */
export interface PromptScorer {
  /** The most tokens that may be evaluated at once. */
  readonly chunk: number;
  /** The number of highest logits that are read for each of them. */
  readonly highest: number;
  /** The tokens that were scored so far, with their log probabilities. */
  readonly told: TokenLogprob[];
  /** Scores the tokens after each of these evaluated tokens. `next` is the token after the last of them. */
  score(tokens: Token[], next: Token, places: LogitsPlace[]): void;
}

/**
 * @param chunk the most tokens that may be evaluated at once
 * @param first the first token of the prompt, if it is to be in the result; it has no log probability, since no token
 *   is before it
 * @param alternatives the number of most likely tokens to add to each token
 */
export function createPromptScorer(
  source: LogitsSource,
  chunk: number,
  first: Token | undefined,
  alternatives: number,
  toLogprob: (drawn: Drawn) => TokenLogprob,
): PromptScorer {
  const told = first === undefined ? [] : [toLogprob({ token: first, logprob: Number.NaN })];
  const highest = Math.max(1, alternatives);
  return {
    chunk,
    highest,
    told,
    score(tokens, next, places) {
      const following = [...tokens.slice(1), next];
      for (const [index, place] of places.entries()) {
        const token = following[index] ?? next;
        const top = source.highestAt(place, highest);
        const known = joined(top, readTokens(source, place, [token]));
        const totalWeight = readWeight(source, place, top.logits[0] ?? 0);
        told.push(toLogprob(rank({ ...known, totalWeight }, token, alternatives)));
      }
    },
  };
}
