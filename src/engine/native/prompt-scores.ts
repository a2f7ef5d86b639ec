import type { TokenLogprob } from '../../core/events.ts';
import { evaluateForScores, slotPriority, type Token } from './llama.ts';
import type { Slot } from './slot.ts';
import { type Drawn, rank } from './token-source.ts';

/** The logits of this many tokens at a time are asked for: those of a large vocabulary take half a MiB each. */
const CHUNK = 32;

/** Evaluates a prompt and tells how likely the model finds each of its tokens. */
export interface PromptScorer {
  /** The most tokens that it evaluates at once. */
  readonly chunk: number;
  /** The tokens so far, with their log probabilities. */
  readonly told: TokenLogprob[];
  /** Evaluates tokens of the prompt. `next` is the token after them. */
  evaluate(tokens: Token[], next: Token): Promise<void>;
}

/**
 * @param first the first token of the prompt, if it is to be told too: nothing says how likely that is
 * @param alternatives the number of most likely tokens to tell with each token
 */
export function createPromptScorer(
  slot: Slot,
  first: Token | undefined,
  alternatives: number,
  toLogprob: (drawn: Drawn) => TokenLogprob,
): PromptScorer {
  const told = first === undefined ? [] : [toLogprob({ token: first, logprob: Number.NaN })];
  return {
    chunk: CHUNK,
    told,
    async evaluate(tokens, next) {
      const following = [...tokens.slice(1), next];
      const scores = await evaluateForScores(slot.sequence, tokens, following, alternatives, slotPriority(slot.index));
      for (const [index, top] of scores.entries())
        told.push(toLogprob(rank(top, following[index] as Token, alternatives)));
    },
  };
}
