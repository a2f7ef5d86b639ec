import { unsupportedParameter } from '../../errors.ts';

/** Fields of OpenAI or llama-server that would change the reply and that Paddock does not implement. */
const REFUSED = [
  'audio',
  'dry_allowed_length',
  'dry_base',
  'dry_multiplier',
  'dry_penalty_last_n',
  'dry_sequence_breakers',
  'function_call',
  'functions',
  'grammar',
  'ignore_eos',
  'json_schema',
  'lora',
  'min_keep',
  'n_discard',
  'n_keep',
  'n_predict',
  'n_probs',
  'post_sampling_probs',
  'prediction',
  'samplers',
  't_max_predict_ms',
  'top_n_sigma',
  'verbosity',
  'web_search_options',
  'xtc_probability',
  'xtc_threshold',
];

/** Fields of OpenAI or llama-server that can't change the reply. */
const WITHOUT_EFFECT = new Set([
  'id_slot',
  'metadata',
  'modalities',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'timings_per_token',
  'user',
]);

/** Refuses fields that would be ignored silently, and those in `more`. Throws a 400 `ApiError` that names the field. */
export function refuseFields(request: object, more: string[] = []): void {
  for (const field of [...REFUSED, ...more]) {
    if (Object.hasOwn(request, field) && Reflect.get(request, field) !== null)
      throw unsupportedParameter(field, `${field} is not supported.`);
  }
}

/** Lists the request's fields that neither the schema's `entries`, OpenAI nor llama-server define. */
export function undefinedFields(request: object, entries: object): string[] {
  return Object.keys(request).filter((field) => !Object.hasOwn(entries, field) && !WITHOUT_EFFECT.has(field));
}
