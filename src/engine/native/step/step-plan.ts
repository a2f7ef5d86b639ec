import { sum } from '../../../utils/sum.ts';
import { TILE } from '../llama/micro-batches.ts';

/** What a generation could use of the next step. */
export interface Demand {
  /** Prompt tokens that are still to be evaluated; 0 once the reply is written. */
  prompt: number;
  /** The tokens that the reply has evaluated in the next step, all of them; 0 while the prompt is pending. */
  reply: number;
  /** When the generation began, in ms. */
  since: number;
}

/**
 * Plans how many prompt tokens each generation may evaluate in the next step. Replies go first. While there are any, prompts
 * share at most `promptBudget` tokens, so that no stream stalls for long; else they have the whole batch.
 *
 * Among the prompts that one is served first which has waited longest for its size. So a short prompt does not wait for a long
 * one to end, and a long one can't be kept waiting by ever new short ones. They are cut at whole tiles; a few tokens of one more
 * prompt would be a micro-batch of their own.
 *
 * @param batchSize the most tokens in one forward pass
 * @param now the present, in ms, by the clock of `since`
 */
export function planStep(
  demands: readonly Demand[],
  { batchSize, promptBudget, now }: { batchSize: number; promptBudget: number; now: number },
): number[] {
  const replies = sum(demands.map(({ reply }) => reply));
  let left = replies === 0 ? batchSize : Math.min(batchSize - replies, Math.max(1, promptBudget));
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
