import { unsupportedParameter } from '../errors.ts';
import type { ChatRequest } from './chat-schema.ts';
import { chatRequestSchema } from './chat-schema.ts';

/** Fields that OpenAI or llama-server define, that would change the reply, and that Paddock does not implement. */
const REFUSED = new Set([
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
]);

/** Fields that OpenAI or llama-server define and that can't change the reply. */
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

const NOT_YET: [field: string, asked: (request: ChatRequest) => boolean][] = [
  ['n', ({ n }) => (n ?? 1) > 1],
  ['tools', ({ tools, tool_choice }) => (tools ?? []).length > 0 && tool_choice !== 'none'],
  ['response_format', ({ response_format }) => (response_format?.type ?? 'text') !== 'text'],
  ['logprobs', ({ logprobs }) => logprobs === true],
  ['top_logprobs', ({ top_logprobs }) => (top_logprobs ?? 0) > 0],
  ['reasoning_effort', ({ reasoning_effort }) => typeof reasoning_effort === 'string'],
];

/** Refuses what would silently be ignored. Throws a 400 `ApiError` that names the field. */
export function refuseUnsupported(request: ChatRequest): void {
  for (const [field, value] of Object.entries(request)) {
    if (REFUSED.has(field) && value !== null) throw unsupportedParameter(field, `${field} is not supported.`);
  }
  const { modalities } = request;
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw unsupportedParameter('modalities', 'modalities other than text are not supported.');
  }
  for (const [field, asked] of NOT_YET) {
    if (asked(request)) throw unsupportedParameter(field, `${field} is not supported yet.`);
  }
}

/** The request's fields that nobody defines; they are accepted, and worth a line in the log. */
export function unknownFields(request: ChatRequest): string[] {
  return Object.keys(request).filter(
    (field) => !Object.hasOwn(chatRequestSchema.entries, field) && !WITHOUT_EFFECT.has(field),
  );
}
