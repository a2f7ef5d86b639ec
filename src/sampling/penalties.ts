import type { Sampling } from '../contract/sampling.ts';
import type { Candidates } from './candidates.ts';

const { fround } = Math;

type Penalties = Pick<Sampling, 'repeatPenalty' | 'repeatLastN' | 'presencePenalty' | 'frequencyPenalty'>;

/** Collects the biases by token. A token that comes twice gets the sum of both. */
export function toBiases(pairs: Sampling['logitBias']): ReadonlyMap<number, number> {
  const biases = new Map<number, number>();
  for (const [token, bias] of pairs) biases.set(token, (biases.get(token) ?? 0) + bias);
  return biases;
}

/**
 * Returns the number of latest tokens to which the penalties apply; 0 if none is on. It is at most the context window:
 * llama.cpp reserves memory for all of them, and a request may ask for any number.
 */
export function penaltyWindow(penalties: Penalties, contextLength: number): number {
  const { repeatPenalty, repeatLastN, presencePenalty, frequencyPenalty } = penalties;
  if (repeatPenalty === 1 && presencePenalty === 0 && frequencyPenalty === 0) return 0;
  return repeatLastN === -1 ? contextLength : Math.min(repeatLastN, contextLength);
}

/**
 * Adds to each token's logit its bias. This is `llama_sampler_logit_bias_apply`.
 *
 * If an engine gives only the N highest logits, a bias can't raise a token that is not among them. Such an engine must
 * ask for the logits of the biased tokens as well.
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

/**
 * Lowers the logits of the last `repeatLastN` tokens of `recentTokens` (-1: of all). Divides positive logits by the
 * repeat penalty and multiplies others with it, then subtracts count * frequency penalty + presence penalty. This is
 * `llama_sampler_penalties_apply`.
 *
 * If an engine gives only the N highest logits, the result is exact as long as the logits of the tokens to choose from
 * stay above the N-th raw logit. A negative penalty, a reward, can't raise a token that is not among the N.
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
