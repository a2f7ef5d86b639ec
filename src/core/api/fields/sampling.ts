import * as v from 'valibot';
import type { ModelCard } from '../../model.ts';
import type { Sampling } from '../../runner.ts';
import {
  SAMPLING_FIELDS,
  SAMPLING_KEYS,
  type SamplingField,
  type SamplingKey,
  type SamplingName,
} from '../../sampling/fields.ts';
import { between, booleanField, integer, list, nonEmptyText, object, oneOf, record } from './fields.ts';

const stopMessage = 'must be a string or an array of at most 4 non-empty strings';
const stop = v.union([nonEmptyText, list(nonEmptyText, 4, 'stop sequences', stopMessage)], stopMessage);

const tokenId = v.pipe(v.string(), v.regex(/^\d+$/, 'must have token ids as its keys'));
const logitBias = record('must be an object of token ids and biases', between(-100, 100), tokenId);

/** The schema of a sampling field's values. It does not accept null. */
export function samplingNumber({ min, max, whole, values }: SamplingField): v.GenericSchema<number> {
  if (values) return v.picklist(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
  return whole ? integer(min, max) : between(min, max ?? Number.MAX_VALUE);
}

type SamplingEntries = Record<SamplingName, v.NullishSchema<v.GenericSchema<number>, undefined>>;

const numbers = Object.fromEntries(
  Object.values(SAMPLING_FIELDS).map((field) => [field.name, v.nullish(samplingNumber(field))]),
) as SamplingEntries;

/** The fields that chats and plain completions share: sampling, stops, and how the reply is sent. */
export const samplingEntries = {
  ...numbers,
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

/** Chooses each sampling value: from the request, else from the model's parameters or settings, else the default. */
export function toSampling(request: SamplingFields, model: ModelCard): Sampling {
  const chosen = Object.fromEntries(
    SAMPLING_KEYS.map((key) => [key, chosenValue(SAMPLING_FIELDS[key], request, model)]),
  );
  const sampling = chosen as Record<SamplingKey, number>;
  return {
    ...sampling,
    topK: Math.max(0, sampling.topK),
    seed: toSeed(request.seed),
    logitBias: Object.entries(request.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias]),
  };
}

function chosenValue(field: SamplingField, request: SamplingFields, model: ModelCard): number {
  const named = (values: object): unknown => Reflect.get(values, field.name);
  const values = [named(request), ...field.modelDefaults.map((place) => named(model[place]))];
  return values.find((value) => typeof value === 'number') ?? field.default;
}

/**
 * Returns the request's stop sequences, or the model's own if the request has none. An empty list in the request means
 * none at all.
 */
export function toStop({ stop }: SamplingFields, { parameters }: ModelCard): string[] {
  return [stop ?? parameters.stop ?? []].flat();
}

/**
 * Turns any integer into an unsigned 32-bit seed. A missing seed, or llama.cpp's -1, becomes a random one. The result
 * is never 2^32 - 1: that too means a random seed to llama.cpp, but a seed that a request gives must be repeatable.
 */
function toSeed(seed: number | null | undefined): number {
  const random = seed === null || seed === undefined || seed === -1;
  const number = random
    ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    : Number(BigInt.asUintN(32, BigInt(seed)));
  return Math.min(number, 0xfffffffe);
}
