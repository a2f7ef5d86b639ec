import * as v from 'valibot';
import { between, booleanField, integer, nonEmptyText, object, oneOf, record } from './fields.ts';

const stopMessage = 'must be a string or an array of at most 4 non-empty strings';
const stop = v.union(
  [nonEmptyText, v.pipe(v.array(nonEmptyText), v.maxLength(4, 'must have at most 4 stop sequences'))],
  stopMessage,
);

const tokenId = v.pipe(v.string(), v.regex(/^\d+$/, 'must have token ids as its keys'));
const logitBias = record('must be an object of token ids and biases', between(-100, 100), tokenId);

/** The fields that chats and plain completions share: how to sample, when to stop and how to send the reply. */
export const samplingEntries = {
  temperature: v.nullish(between(0, 2)),
  top_p: v.nullish(between(0, 1)),
  top_k: v.nullish(integer(-1)),
  min_p: v.nullish(between(0, 1)),
  typical_p: v.nullish(between(0, 1)),
  repeat_penalty: v.nullish(between(0.01, 100)),
  repeat_last_n: v.nullish(integer(-1)),
  presence_penalty: v.nullish(between(-2, 2)),
  frequency_penalty: v.nullish(between(-2, 2)),
  dynatemp_range: v.nullish(between(0, 100)),
  dynatemp_exponent: v.nullish(between(0, 100)),
  mirostat: v.nullish(v.picklist([0, 1, 2], 'must be 0, 1 or 2')),
  mirostat_tau: v.nullish(between(0, 100)),
  mirostat_eta: v.nullish(between(0, 100)),
  logit_bias: v.nullish(logitBias),
  seed: v.nullish(integer(Number.MIN_SAFE_INTEGER)),
  stop: v.nullish(stop),
  n: v.nullish(integer(1, 8)),
  cache_prompt: v.nullish(booleanField),
  stream: v.nullish(booleanField),
  stream_options: v.nullish(object({ include_usage: v.nullish(booleanField) }, 'must be an object')),
  return_progress: v.nullish(booleanField),
  context_overflow: v.nullish(oneOf(['length', 'error'])),
} satisfies v.ObjectEntries;

/** The shared fields of a validated request. */
export type SamplingFields = v.InferOutput<v.ObjectSchema<typeof samplingEntries, undefined>>;
