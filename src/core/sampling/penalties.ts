import type { Sampling } from '../runner.ts';
import type { Candidates } from './candidates.ts';

const { fround } = Math;

/** Biases by token. A token that is named twice gets both. */
export function toBiases(pairs: Sampling['logitBias']): ReadonlyMap<number, number> {
  const biases = new Map<number, number>();
  for (const [token, bias] of pairs) biases.set(token, (biases.get(token) ?? 0) + bias);
  return biases;
}

/**
 * Adds its bias to each token's logit. `llama_sampler_logit_bias_apply`.
 *
 * Of the best N tokens only: a bias cannot lift a token from below them. An engine that truncates must ask for the
 * logits of the biased tokens as well.
 */
export function addBiases(candidates: Candidates, biases: ReadonlyMap<number, number>): void {
  if (biases.size === 0) return;
  const { tokens, logits, size } = candidates;
  for (let index = 0; index < size; index++) {
    const bias = biases.get(tokens[index] ?? 0);
    if (bias === undefined) continue;
    logits[index] = (logits[index] ?? 0) + fround(bias);
    candidates.sorted = false;
  }
}

type Penalties = Pick<Sampling, 'repeatPenalty' | 'repeatLastN' | 'presencePenalty' | 'frequencyPenalty'>;

/**
 * Lowers the logits of the tokens in the window, the last `repeatLastN` of `recentTokens` (-1: all of them): divides
 * positive logits by the repeat penalty, multiplies others, then subtracts count * frequency penalty + presence penalty.
 * `llama_sampler_penalties_apply`.
 *
 * Of the best N tokens only: exact as long as what is chosen from still has a logit above that of the N-th raw one. A
 * negative penalty, which is a reward, cannot lift a token from below them.
 */
export function penalize(candidates: Candidates, penalties: Penalties, recentTokens: ArrayLike<number>): void {
  const repeat = fround(penalties.repeatPenalty);
  const presence = fround(penalties.presencePenalty);
  const frequency = fround(penalties.frequencyPenalty);
  if (repeat === 1 && presence === 0 && frequency === 0) return;
  const counts = countLast(recentTokens, penalties.repeatLastN);
  if (counts.size === 0) return;
  const { tokens, logits, size } = candidates;
  for (let index = 0; index < size; index++) {
    const count = counts.get(tokens[index] ?? 0);
    if (count === undefined) continue;
    const logit = logits[index] ?? 0;
    const repeated = fround(logit <= 0 ? logit * repeat : logit / repeat);
    logits[index] = repeated - fround(fround(count * frequency) + presence);
    candidates.sorted = false;
  }
}

function countLast(tokens: ArrayLike<number>, window: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (let index = window < 0 ? 0 : Math.max(0, tokens.length - window); index < tokens.length; index++) {
    const token = tokens[index] ?? 0;
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
}
