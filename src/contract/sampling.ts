/** A place for a model's own default of a field: its `parameters`, which take precedence, or its `settings`. */
export type DefaultPlace = 'parameters' | 'settings';

/** A sampling parameter of requests that is a number. */
export interface SamplingField {
  /** The name in requests, in model.json, and in llama-server's own API. */
  name: string;
  /** The range, both ends included; a field without `max` has no upper end. */
  min: number;
  max?: number;
  /** True if only integers are valid. */
  whole?: true;
  /** The valid values, if there are only a few. */
  values?: readonly number[];
  /** The value if neither the request nor the model sets one. */
  default: number;
  /** The places for a model's own default, in order of precedence. */
  modelDefaults: readonly DefaultPlace[];
}

const BOTH = ['parameters', 'settings'] as const;
const SETTINGS = ['settings'] as const;
const NONE = [] as const;

/**
 * The fields of `Sampling` that are numbers. The schema of requests, their defaults, the engines' options and the
 * command line all follow from this table. The definitions are llama.cpp's. Each comment names the neutral value, which
 * has no effect.
 */
export const SAMPLING_FIELDS = {
  /** 0 is greedy; 1 is neutral. */
  temperature: { name: 'temperature', min: 0, max: 2, default: 0.7, modelDefaults: BOTH },
  /** 1 is neutral. */
  topP: { name: 'top_p', min: 0, max: 1, default: 0.95, modelDefaults: BOTH },
  /** 0 and -1 are neutral: every token is considered. */
  topK: { name: 'top_k', min: -1, whole: true, default: 40, modelDefaults: BOTH },
  /** 0 is neutral. */
  minP: { name: 'min_p', min: 0, max: 1, default: 0, modelDefaults: SETTINGS },
  /**
   * Keeps the tokens whose logit is at most this many standard deviations below the highest. 0 and below are neutral.
   */
  topNSigma: { name: 'top_n_sigma', min: -1, max: 100, default: -1, modelDefaults: SETTINGS },
  /** 1 is neutral. */
  typicalP: { name: 'typical_p', min: 0, max: 1, default: 1, modelDefaults: NONE },
  /** XTC, "exclude top choices": the chance that it removes tokens before a draw. 0 is neutral. */
  xtcProbability: { name: 'xtc_probability', min: 0, max: 1, default: 0, modelDefaults: SETTINGS },
  /** XTC removes all tokens that have at least this probability, except the least likely of them. Above 0.5 is neutral. */
  xtcThreshold: { name: 'xtc_threshold', min: 0, max: 1, default: 0.1, modelDefaults: SETTINGS },
  /** 1 is neutral. */
  repeatPenalty: { name: 'repeat_penalty', min: 0.01, max: 100, default: 1.1, modelDefaults: SETTINGS },
  /**
   * The number of latest tokens, of prompt and reply, to which the three penalties apply. 0 is none, -1 is the whole
   * context.
   */
  repeatLastN: { name: 'repeat_last_n', min: -1, whole: true, default: 64, modelDefaults: SETTINGS },
  /** 0 is neutral. */
  presencePenalty: { name: 'presence_penalty', min: -2, max: 2, default: 0, modelDefaults: BOTH },
  /** 0 is neutral. */
  frequencyPenalty: { name: 'frequency_penalty', min: -2, max: 2, default: 0, modelDefaults: BOTH },
  /**
   * DRY, "don't repeat yourself": lowers a token that would lengthen a repetition by multiplier * base ^ (length of the
   * repetition - allowed length). 0 is neutral.
   */
  dryMultiplier: { name: 'dry_multiplier', min: 0, max: 100, default: 0, modelDefaults: SETTINGS },
  dryBase: { name: 'dry_base', min: 1, max: 100, default: 1.75, modelDefaults: SETTINGS },
  dryAllowedLength: { name: 'dry_allowed_length', min: 0, whole: true, default: 2, modelDefaults: SETTINGS },
  /** The number of latest tokens, of prompt and reply, in which DRY looks for repetitions. -1 is the whole context. */
  dryPenaltyLastN: { name: 'dry_penalty_last_n', min: -1, whole: true, default: 64, modelDefaults: SETTINGS },
  /** 0 is neutral. */
  dynatempRange: { name: 'dynatemp_range', min: 0, max: 100, default: 0, modelDefaults: NONE },
  /** It has an effect only if `dynatempRange` is above 0. */
  dynatempExponent: { name: 'dynatemp_exponent', min: 0, max: 100, default: 1, modelDefaults: NONE },
  /** 0 is off; 1 and 2 are the versions of mirostat, which replace the other samplers. */
  mirostat: { name: 'mirostat', min: 0, max: 2, whole: true, values: [0, 1, 2], default: 0, modelDefaults: SETTINGS },
  /** It has an effect only with mirostat. */
  mirostatTau: { name: 'mirostat_tau', min: 0, max: 100, default: 5, modelDefaults: SETTINGS },
  /** It has an effect only with mirostat. */
  mirostatEta: { name: 'mirostat_eta', min: 0, max: 100, default: 0.1, modelDefaults: SETTINGS },
} as const satisfies Record<string, SamplingField>;

type Fields = typeof SAMPLING_FIELDS;
export type SamplingKey = keyof Fields;
/** The names in requests, as in `top_p`. */
export type SamplingName = Fields[SamplingKey]['name'];

export const SAMPLING_KEYS = Object.keys(SAMPLING_FIELDS) as SamplingKey[];

/** The names of the fields for which a model may have its own default in this place. */
export type SamplingNameIn<P extends DefaultPlace> = {
  [K in SamplingKey]: P extends Fields[K]['modelDefaults'][number] ? Fields[K]['name'] : never;
}[SamplingKey];

/**
 * llama.cpp's LLAMA_DEFAULT_SEED, 2^32 - 1: llama.cpp takes it as "draw a random seed", and the reply could not be
 * repeated. So no engine may be given it: a seed is at most 1 less.
 */
export const LLAMA_RANDOM_SEED = 0xffffffff;

/** Returns the seed that is `steps` after another one. Seeds go round modulo 2^32 - 1, past `LLAMA_RANDOM_SEED`. */
export function seedAfter(seed: number, steps: number): number {
  return (seed + steps) % LLAMA_RANDOM_SEED;
}

/** The sampling settings: a value for each field of `SAMPLING_FIELDS`. */
export interface Sampling extends Record<SamplingKey, number> {
  /** An integer from 0 to 2^32 - 2. */
  seed: number;
  /** True if the request names no seed, so that the reply need not be repeatable. */
  anySeed?: true;
  logitBias: [token: number, bias: number][];
  /** Texts at which a repetition begins anew for DRY. */
  dryBreakers: string[];
}

/** llama.cpp's breakers of DRY. */
export const DRY_BREAKERS = ['\n', ':', '"', '*'];

/** The levels of reasoning effort, by OpenAI's names. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
