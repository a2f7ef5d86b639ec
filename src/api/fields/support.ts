import { unsupportedParameter } from '../../contract/errors.ts';

/**
 * Fields of OpenAI and of other servers that would change the reply, and that Paddock does not implement. Each has the
 * values that have no effect, as JSON: clients send such values along with their settings.
 */
export const REFUSED_FIELDS: Record<string, string[]> = {
  add_generation_prompt: ['true'],
  allowed_token_ids: ['[]'],
  audio: [],
  bad_words: ['[]'],
  chat_template: [],
  continue_final_message: ['false'],
  function_call: [],
  functions: [],
  grammar: ['""'],
  guided_choice: [],
  guided_grammar: [],
  guided_regex: [],
  ignore_eos: ['false'],
  include_reasoning: ['true'],
  json_schema: [],
  lora: ['[]'],
  min_keep: ['0'],
  min_tokens: ['0'],
  n_discard: ['0'],
  n_keep: ['0'],
  n_probs: ['0'],
  num_ctx: [],
  options: ['{}'],
  post_sampling_probs: ['false'],
  reasoning_budget_message: ['""'],
  samplers: [],
  separate_reasoning: ['true'],
  stop_token_ids: ['[]'],
  t_max_predict_ms: ['0', '-1'],
  use_beam_search: ['false'],
  web_search_options: [],
};

/** Fields of OpenAI and of other servers that can't change the reply. */
export const FIELDS_WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'id_slot',
  'metadata',
  'modalities',
  // A prediction of the reply: it only affects the speed.
  'prediction',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'timings_per_token',
  'user',
  // A hint that no model here supports.
  'verbosity',
]);

/**
 * Throws a 400 `ApiError` that names a field which would be silently ignored, or which is in `more`. `entries` are the
 * fields of the endpoint's schema, which the endpoint reads.
 */
export function refuseFields(request: object, more: string[] = [], entries: object = {}): void {
  for (const field of more) refuse(request, field, []);
  for (const [field, neutral] of Object.entries(REFUSED_FIELDS)) {
    if (!Object.hasOwn(entries, field)) refuse(request, field, neutral);
  }
}

function refuse(request: object, field: string, neutral: string[]): void {
  if (!Object.hasOwn(request, field)) return;
  const value: unknown = Reflect.get(request, field);
  if (value === null || (neutral.length > 0 && neutral.includes(JSON.stringify(value)))) return;
  const only = neutral.length > 0 ? ` with a value other than ${neutral.join(' or ')}` : '';
  throw unsupportedParameter(field, `${field} is not supported${only}.`);
}

/** Returns the fields of a request that are unknown: neither in the schema's `entries`, nor in the lists above. */
export function undefinedFields(request: object, entries: object): string[] {
  return Object.keys(request).filter(
    (field) =>
      ![entries, REFUSED_FIELDS].some((known) => Object.hasOwn(known, field)) && !FIELDS_WITHOUT_EFFECT.has(field),
  );
}
