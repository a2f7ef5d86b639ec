import { type Candidates, indexOfHighest, softmax, sortByLogit } from './candidates.ts';
import { entropyOf, surprisesOf } from './truncation.ts';

const { fround, log, max } = Math;

/**
 * Divides the logits by the temperature. At 0 or less only the highest logit keeps a chance. This is
 * `llama_sampler_temp_impl`.
 */
export function scaleByTemperature(candidates: Candidates, temperature: number): void {
  const { logits, size } = candidates;
  const divisor = fround(temperature);
  if (divisor <= 0) {
    const highest = indexOfHighest(candidates);
    for (let index = 0; index < size; index++) if (index !== highest) logits[index] = -Infinity;
    return;
  }
  if (divisor === 1) return;
  for (let index = 0; index < size; index++) logits[index] = (logits[index] ?? 0) / divisor;
}

/** A temperature between `temperature - range` and `temperature + range`. */
export interface DynamicTemperature {
  temperature: number;
  /** 0 means a fixed temperature. */
  range: number;
  /** Power of the normalized entropy that sets the temperature; 1 is linear. */
  exponent: number;
}

/**
 * Divides the logits by a temperature that grows with the entropy of the distribution: temperature - range at entropy
 * 0, temperature + range at the greatest possible entropy. So with a range, temperature 0 is not greedy. This is
 * `llama_sampler_temp_ext_apply`.
 *
 * If an engine gives only the N highest logits, their entropy is compared with ln N instead of ln of the vocabulary's
 * size. The result is exact if the samplers before this one leave N tokens or fewer anyway.
 */
export function scaleByEntropy(candidates: Candidates, { temperature, range, exponent }: DynamicTemperature): void {
  const reach = fround(range);
  if (reach <= 0) {
    scaleByTemperature(candidates, temperature);
    return;
  }
  if (candidates.size <= 1) return;
  const lowest = max(0, fround(fround(temperature) - reach));
  const highest = fround(fround(temperature) + reach);
  const mostEntropy = -fround(log(fround(1 / candidates.size)));
  sortByLogit(candidates);
  softmax(candidates);
  const share = fround(entropyOf(candidates, surprisesOf(candidates)) / mostEntropy);
  const power = fround(share ** fround(exponent));
  scaleByTemperature(candidates, fround(lowest + fround(fround(highest - lowest) * power)));
}
