import { SAMPLING_FIELDS } from '../../contract/sampling.ts';
import type { SamplingFields } from '../fields/sampling.ts';
import type { OllamaOptions } from './schema.ts';

/** Returns the sampling options under the names of the other dialects. */
export function toSamplingFields(options: OllamaOptions | null | undefined): SamplingFields {
  if (!options) return {};
  const names = Object.values(SAMPLING_FIELDS).map(({ name }) => name);
  const numbers = Object.fromEntries(names.map((name) => [name, options[name]]));
  return { ...numbers, seed: options.seed, stop: options.stop };
}

/**
 * Returns the most tokens of a reply; null, for 0 and below, means only the context window, undefined the model's own
 * limit.
 */
export function toMaxTokens(options: OllamaOptions | null | undefined): number | null | undefined {
  const most = options?.num_predict ?? undefined;
  return most === undefined ? undefined : most > 0 ? most : null;
}
