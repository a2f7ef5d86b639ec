/** While any slot decodes, prompts get at most this share of a step's batch, so that no stream stalls for long. */
const PREFILL_SHARE = 1 / 4;

/**
 * Plans how many prompt tokens each generation may evaluate in the next step.
 *
 * @param pending prompt tokens that each generation still has to evaluate, in order of arrival. A generation with 0
 *   decodes and takes one token of the batch.
 * @param batchSize the most tokens in one forward pass
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
