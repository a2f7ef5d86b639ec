import { sum } from '../../../utils/sum.ts';
import { TILE } from '../llama/micro-batches.ts';

/** The tokens that a reply could have evaluated besides those that it needs. */
export interface GuessOffer {
  /** The number of the reply's sequence. */
  sequence: number;
  /** The number of guessed tokens. */
  tokens: number;
  /** The probability that a guessed token is right if all before it are. */
  share: number;
  /** The most tokens besides those that it needs: the reply can drop no more. */
  most: number;
}

/** The tokens that a generation could evaluate in the next step. */
export interface Demand {
  /** The number of prompt tokens that are still to be evaluated; 0 after the prefill. */
  prompt: number;
  /** The number of tokens that the reply needs evaluated, all of them in the next step; 0 during the prefill. */
  reply: number;
  /** The guess of a reply; undefined for a reply that can not drop tokens. */
  offer?: GuessOffer | undefined;
  /** When the generation began, in ms. */
  since: number;
}

/**
 * Returns how many prompt tokens each generation may evaluate in the next step. Replies go first. While replies are
 * generated, all prompts share at most `promptBudget` tokens, so that no stream stalls for long; otherwise they share
 * the whole batch.
 *
 * The prompt with the longest wait per token is served first. So a short prompt does not wait for the end of a long
 * one, and new short prompts cannot keep a long one waiting for ever. Prompts are cut at whole tiles: a few tokens of
 * another prompt would need a micro-batch of their own.
 *
 * @param batchSize the most tokens in one forward pass
 * @param now the present, in ms, by the clock of `since`
 * @param repliesWait true if replies wait for this pass without being part of it
 */
export function planStep(
  demands: readonly Demand[],
  {
    batchSize,
    promptBudget,
    now,
    repliesWait = false,
  }: { batchSize: number; promptBudget: number; now: number; repliesWait?: boolean },
): number[] {
  const replies = sum(demands.map(({ reply }) => reply));
  const unbounded = replies === 0 && !repliesWait;
  let left = unbounded ? batchSize : Math.min(batchSize - replies, Math.max(1, promptBudget));
  const tile = left < TILE ? 1 : TILE;
  const grants = demands.map(() => 0);
  const urgency = ({ since, prompt }: Demand) => (now - since + 1) / prompt;
  const prompts = [...demands.entries()]
    .filter(([, { prompt }]) => prompt > 0)
    .sort(([, a], [, b]) => urgency(b) - urgency(a));
  for (const [index, { prompt }] of prompts) {
    const granted = prompt <= left ? prompt : left - (left % tile);
    grants[index] = granted;
    left -= granted;
  }
  return grants;
}
