import * as v from 'valibot';
import { samplingNumber } from '../api/fields/sampling.ts';
import type { ModelSettings } from '../contract/models/model.ts';
import { SAMPLING_FIELDS } from '../contract/sampling.ts';
import type { Fields } from '../gguf/fields.ts';

/** The names of `general.sampling.*` in a GGUF, with the sampling fields that they set. */
const RECOMMENDED = {
  temp: SAMPLING_FIELDS.temperature,
  top_k: SAMPLING_FIELDS.topK,
  top_p: SAMPLING_FIELDS.topP,
  min_p: SAMPLING_FIELDS.minP,
  xtc_probability: SAMPLING_FIELDS.xtcProbability,
  xtc_threshold: SAMPLING_FIELDS.xtcThreshold,
  penalty_last_n: SAMPLING_FIELDS.repeatLastN,
  penalty_repeat: SAMPLING_FIELDS.repeatPenalty,
  mirostat: SAMPLING_FIELDS.mirostat,
  mirostat_tau: SAMPLING_FIELDS.mirostatTau,
  mirostat_eta: SAMPLING_FIELDS.mirostatEta,
};

/**
 * Returns the sampling values that the header of a GGUF recommends. Values out of a field's range are left out. A float
 * of 32 bits is rounded to its shortest decimal, as in 0.95 for 0.949999988079071.
 */
export function recommendedSampling(fields: Fields): Partial<ModelSettings> {
  const values = Object.entries(RECOMMENDED).flatMap(([name, field]) => {
    const given = fields.number(`general.sampling.${name}`);
    const value = given === undefined ? undefined : Number(given.toPrecision(7));
    return v.is(samplingNumber(field), value) ? [[field.name, value]] : [];
  });
  return Object.fromEntries(values) as Partial<ModelSettings>;
}
