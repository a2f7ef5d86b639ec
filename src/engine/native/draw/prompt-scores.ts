import type { TokenLogprob } from '../../../contract/events.ts';
import type { Place } from '../llama/addon-context.ts';
import type { Token } from '../llama/llama.ts';
import type { LogitsReader } from '../llama/logits.ts';
import { type Drawn, joined, rank } from './token-drawer.ts';

/** The logits of this many tokens at a time are asked for: those of a large vocabulary take half a MiB each. */
const CHUNK = 32;

/** Tells how likely the model finds each token of a prompt. */
export interface PromptScorer {
  /** The most tokens that may be evaluated at once. */
  readonly chunk: number;
  /** The tokens so far, with their log probabilities. */
  readonly told: TokenLogprob[];
  /** Reads the logits after each of these tokens of the prompt. `next` is the token after them. */
  score(tokens: Token[], next: Token, places: Place[]): Promise<void>;
  close(): void;
}

/**
 * @param first the first token of the prompt, if it is to be told too: nothing says how likely that is
 * @param alternatives the number of most likely tokens to tell with each token
 */
export function createPromptScorer(
  reader: LogitsReader,
  first: Token | undefined,
  alternatives: number,
  toLogprob: (drawn: Drawn) => TokenLogprob,
): PromptScorer {
  const told = first === undefined ? [] : [toLogprob({ token: first, logprob: Number.NaN })];
  return {
    chunk: CHUNK,
    told,
    async score(tokens, next, places) {
      const following = [...tokens.slice(1), next];
      for (const [index, place] of places.entries()) {
        const token = following[index] as Token;
        const top = await reader.top(place, Math.max(1, alternatives));
        told.push(toLogprob(rank(joined(top, await reader.whole(place, [token])), token, alternatives)));
      }
    },
    close: () => reader.close(),
  };
}
