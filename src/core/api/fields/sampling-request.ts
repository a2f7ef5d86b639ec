import type { ModelCard } from '../../model.ts';
import type { Sampling } from '../../runner.ts';
import type { SamplingFields } from './sampling.ts';

/** What holds where neither the request nor the model says anything: the defaults of the API contract. */
const DEFAULTS: Omit<Sampling, 'seed' | 'logitBias'> = {
  temperature: 0.7,
  topP: 0.95,
  topK: 40,
  minP: 0,
  typicalP: 1,
  repeatPenalty: 1.1,
  repeatLastN: 64,
  presencePenalty: 0,
  frequencyPenalty: 0,
  dynatempRange: 0,
  dynatempExponent: 1,
  mirostat: 0,
  mirostatTau: 5,
  mirostatEta: 0.1,
};

/** How to sample: as the request says, else as the model's parameters, its settings or the defaults do. */
export function toSampling(request: SamplingFields, { parameters, settings }: ModelCard): Sampling {
  return {
    temperature: request.temperature ?? parameters.temperature ?? settings.temperature ?? DEFAULTS.temperature,
    topP: request.top_p ?? parameters.top_p ?? settings.top_p ?? DEFAULTS.topP,
    topK: Math.max(0, request.top_k ?? parameters.top_k ?? settings.top_k ?? DEFAULTS.topK),
    minP: request.min_p ?? settings.min_p ?? DEFAULTS.minP,
    typicalP: request.typical_p ?? DEFAULTS.typicalP,
    repeatPenalty: request.repeat_penalty ?? settings.repeat_penalty ?? DEFAULTS.repeatPenalty,
    repeatLastN: request.repeat_last_n ?? DEFAULTS.repeatLastN,
    presencePenalty:
      request.presence_penalty ?? parameters.presence_penalty ?? settings.presence_penalty ?? DEFAULTS.presencePenalty,
    frequencyPenalty:
      request.frequency_penalty ??
      parameters.frequency_penalty ??
      settings.frequency_penalty ??
      DEFAULTS.frequencyPenalty,
    dynatempRange: request.dynatemp_range ?? DEFAULTS.dynatempRange,
    dynatempExponent: request.dynatemp_exponent ?? DEFAULTS.dynatempExponent,
    mirostat: request.mirostat ?? DEFAULTS.mirostat,
    mirostatTau: request.mirostat_tau ?? DEFAULTS.mirostatTau,
    mirostatEta: request.mirostat_eta ?? DEFAULTS.mirostatEta,
    seed: toSeed(request.seed),
    logitBias: Object.entries(request.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias]),
  };
}

/** The request's stop sequences, or the model's own when it names none; an empty list is none at all. */
export function toStop({ stop }: SamplingFields, { parameters }: ModelCard): string[] {
  return [stop ?? parameters.stop ?? []].flat();
}

/**
 * Any integer as an unsigned 32-bit seed; none, or llama.cpp's -1, is a random one. Never 2^32 - 1: to llama.cpp that
 * means a random seed too, and what is asked for by number must be repeatable.
 */
function toSeed(seed: number | null | undefined): number {
  const random = seed === null || seed === undefined || seed === -1;
  const number = random
    ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    : Number(BigInt.asUintN(32, BigInt(seed)));
  return Math.min(number, 0xfffffffe);
}
