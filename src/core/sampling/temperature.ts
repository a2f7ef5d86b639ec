import { type Candidates, indexOfHighest, softmax, sortByLogit } from './candidates.ts';
import { entropyOf, surprisesOf } from './truncation.ts';

const { fround, log, max } = Math;

/** Divides the logits by the temperature; 0 or less leaves only the highest logit a chance. `llama_sampler_temp_impl`. */
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

/** The middle of the temperatures, how far they reach to both sides, and how they follow the entropy. */
export interface DynamicTemperature {
  temperature: number;
  /** 0 is a fixed temperature. */
  range: number;
  exponent: number;
}

/**
 * Scales by a temperature that grows with the distribution's entropy, from temperature - range for none to
 * temperature + range for as much as there can be. `llama_sampler_temp_ext_apply`: so with a range, temperature 0 is not
 * greedy.
 *
 * Truncating to N tokens takes the entropy of those alone and compares it with ln N instead of ln of the vocabulary.
 * Nothing is lost where the samplers before this one left N tokens or fewer.
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
