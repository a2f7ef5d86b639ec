import * as v from 'valibot';
import { unsupportedParameter } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Sampling } from '../../contract/sampling.ts';
import {
  DRY_BREAKERS,
  LLAMA_RANDOM_SEED,
  SAMPLING_FIELDS,
  SAMPLING_KEYS,
  type SamplingField,
  type SamplingKey,
  type SamplingName,
} from '../../contract/sampling.ts';
import {
  between,
  booleanField,
  integerField,
  list,
  nonEmptyText,
  objectField,
  oneOf,
  record,
  textField,
} from './fields.ts';
import { adaptersField } from './lora.ts';

const stopMessage = 'must be a string or an array of at most 4 strings';
const stop = v.union([textField, list(textField, 4, 'stop sequences', stopMessage)], stopMessage);

const tokenId = v.pipe(v.string(), v.regex(/^\d+$/, 'must have token ids as its keys'));
const logitBias = record('must be an object of token ids and biases', between(-100, 100), tokenId);

/** The most texts at which a repetition begins anew, and their most characters: each is looked for in all tokens. */
const MOST_BREAKERS = 32;
const MOST_BREAKER_LENGTH = 40;
const breakers = v.pipe(
  list(
    v.pipe(nonEmptyText, v.maxLength(MOST_BREAKER_LENGTH, `must have at most ${MOST_BREAKER_LENGTH} characters`)),
    MOST_BREAKERS,
    'texts',
    'must be an array of texts',
  ),
  v.minLength(1, 'must have at least 1 text'),
);

const limitMessage = 'must be an integer of at least 1, or -1 for no limit';
/** The most tokens of a reply. -1 means no limit, as in some other servers. */
export const tokenLimit = v.union([v.literal(-1), integerField(1)], limitMessage);

/** The schema of a sampling field's values. It does not accept null. */
export function samplingNumber({ min, max, whole, values }: SamplingField): v.GenericSchema<number> {
  if (values) return v.picklist(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
  return whole ? integerField(min, max) : between(min, max ?? Number.MAX_VALUE);
}

type SamplingEntries = Record<SamplingName, v.NullishSchema<v.GenericSchema<number>, undefined>>;

const numbers = Object.fromEntries(
  Object.values(SAMPLING_FIELDS).map((field) => [field.name, v.nullish(samplingNumber(field))]),
) as SamplingEntries;

/** The fields that chats and plain completions share: sampling, stops, and how the reply is sent. */
export const samplingEntries = {
  ...numbers,
  /** Other servers' name for `repeat_penalty`. */
  repetition_penalty: v.nullish(samplingNumber(SAMPLING_FIELDS.repeatPenalty)),
  max_tokens: v.nullish(tokenLimit),
  /** llama-server's name of `max_tokens`. */
  n_predict: v.nullish(tokenLimit),
  logit_bias: v.nullish(logitBias),
  dry_sequence_breakers: v.nullish(breakers),
  seed: v.nullish(integerField(Number.MIN_SAFE_INTEGER)),
  stop: v.nullish(stop),
  n: v.nullish(integerField(1, 8)),
  best_of: v.nullish(integerField(1, 8)),
  cache_prompt: v.nullish(booleanField),
  prompt_cache_key: v.nullish(textField),
  lora: v.nullish(adaptersField),
  stream: v.nullish(booleanField),
  stream_options: v.nullish(objectField({ include_usage: v.nullish(booleanField) }, 'must be an object')),
  return_progress: v.nullish(booleanField),
  context_overflow: v.nullish(oneOf(['length', 'error'])),
  user: v.nullish(textField),
} satisfies v.ObjectEntries;

/** The shared fields of a validated request. */
export type SamplingFields = v.InferOutput<v.ObjectSchema<typeof samplingEntries, undefined>>;

/** Chooses each sampling value: from the request, else from the model's parameters or settings, else the default. */
export function toSampling(request: SamplingFields, model: ModelCard): Sampling {
  const chosen = Object.fromEntries(
    SAMPLING_KEYS.map((key) => [key, chosenValue(SAMPLING_FIELDS[key], request, model)]),
  );
  const sampling = chosen as Record<SamplingKey, number>;
  return {
    ...sampling,
    topK: Math.max(0, sampling.topK),
    ...toSeed(request.seed),
    logitBias: Object.entries(request.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias]),
    dryBreakers: request.dry_sequence_breakers ?? DRY_BREAKERS,
  };
}

function chosenValue(field: SamplingField, request: SamplingFields, model: ModelCard): number {
  const named = (values: object): unknown => Reflect.get(values, field.name);
  const synonym = field === SAMPLING_FIELDS.repeatPenalty ? request.repetition_penalty : undefined;
  const values = [named(request), synonym, ...field.modelDefaults.map((place) => named(model[place]))];
  return values.find((value) => typeof value === 'number') ?? field.default;
}

/**
 * Returns the request's stop sequences, or the model's own if the request has none. An empty list in the request means
 * none at all.
 */
export function toStopSequences({ stop }: SamplingFields, { parameters }: ModelCard): string[] {
  return [stop ?? parameters.stop ?? []].flat().filter((sequence) => sequence !== '');
}

/** Throws a 400 `ApiError` if `best_of` asks for more choices than the reply would have. */
export function refuseBestOf({ best_of, n }: SamplingFields): void {
  if (typeof best_of === 'number' && best_of !== (n ?? 1))
    throw unsupportedParameter('best_of', `best_of must be n, which is ${n ?? 1}: no more choices than are told.`);
}

/**
 * Returns the seed of a request: its integer modulo 2^32, or a random number if it has none or llama.cpp's -1. A result
 * of `LLAMA_RANDOM_SEED` becomes 1 less, so that every seed in a request is repeatable.
 */
function toSeed(seed: number | null | undefined): Pick<Sampling, 'seed' | 'anySeed'> {
  const random = seed === null || seed === undefined || seed === -1;
  const number = random
    ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    : Number(BigInt.asUintN(32, BigInt(seed)));
  return { seed: Math.min(number, LLAMA_RANDOM_SEED - 1), ...(random && { anySeed: true }) };
}
