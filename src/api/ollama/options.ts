import { SAMPLING_FIELDS } from '../../contract/sampling.ts';
import type { SamplingFields } from '../fields/sampling.ts';
import type { Options } from './schema.ts';

/** The options that say how tokens are chosen, in the words of the other dialects. */
export function toSamplingFields(options: Options | null | undefined): SamplingFields {
  if (!options) return {};
  const names = Object.values(SAMPLING_FIELDS).map(({ name }) => name);
  const numbers = Object.fromEntries(names.map((name) => [name, options[name]]));
  return { ...numbers, seed: options.seed, stop: options.stop };
}

/** The most tokens of a reply. 0 and below mean no limit but the window, as in Ollama; undefined takes the model's own. */
export function toMaxTokens(options: Options | null | undefined): number | null | undefined {
  const most = options?.num_predict ?? undefined;
  return most === undefined ? undefined : most > 0 ? most : null;
}
