/** While any slot decodes, a step takes at most this share of the batch for prompts, so that no stream stalls long. */
const PREFILL_SHARE = 1 / 4;

/**
 * How many prompt tokens each generation may evaluate in the next step.
 *
 * @param pending prompt tokens that each generation still has to evaluate, in order of arrival; 0 for one that decodes
 *   and so takes one token of the batch by itself
 * @param batchSize most tokens in one forward pass
 */
export function planStep(pending: number[], batchSize: number): number[] {
  const decoding = pending.filter((count) => count === 0).length;
  let budget =
    decoding === 0 ? batchSize : Math.max(1, Math.min(batchSize - decoding, Math.floor(batchSize * PREFILL_SHARE)));
  return pending.map((count) => {
    const granted = Math.min(count, budget);
    budget -= granted;
    return granted;
  });
}
