import type { Sampling } from '../contract/sampling.ts';
import { type Candidates, softmax, sortByLogit } from './candidates.ts';
import type { RandomSource } from './mersenne-twister.ts';

type Xtc = Pick<Sampling, 'xtcProbability' | 'xtcThreshold'>;

/** True if XTC may remove tokens. At a threshold above a half, no two tokens can reach it. */
export function usesXtc({ xtcProbability, xtcThreshold }: Xtc): boolean {
  return xtcProbability > 0 && xtcThreshold <= 0.5;
}

/**
 * With the chance `xtcProbability`, removes all tokens that have at least the probability `xtcThreshold`, except the
 * least likely of them. This is `llama_sample_xtc_apply`. `random` is a source of its own, with the seed of the request.
 * Not to be called if `usesXtc` is false.
 */
export function excludeTopChoices(
  candidates: Candidates,
  { xtcProbability, xtcThreshold }: Xtc,
  random: RandomSource,
): void {
  if (candidates.size < 2) return;
  if (random.nextUniformFloat() > Math.fround(xtcProbability)) return;
  sortByLogit(candidates);
  softmax(candidates);
  const { tokens, logits, probabilities, size } = candidates;
  const least = Math.fround(xtcThreshold);
  let kept = 0;
  while (kept < size && (probabilities[kept] ?? 0) >= least) kept += 1;
  const removed = Math.max(0, kept - 1);
  for (const values of [tokens, logits, probabilities]) values.copyWithin(0, removed, size);
  candidates.size -= removed;
}
