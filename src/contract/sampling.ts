/** Where a model may have its own default for a field: in its `parameters`, which come first, or in its `settings`. */
export type DefaultPlace = 'parameters' | 'settings';

/** A field by which a request says how the next token is chosen. */
export interface SamplingField {
  /** The name in requests, in model.json, and in llama-server's own API. */
  name: string;
  /** The range, both ends included; a field without `max` has no upper end. */
  min: number;
  max?: number;
  /** Whether it takes whole numbers alone. */
  whole?: true;
  /** The values that it takes, for a field that only has these. */
  values?: readonly number[];
  /** The value where neither the request nor the model has one: that of the API contract. */
  default: number;
  /** Where a model may have its own default, in order. */
  modelDefaults: readonly DefaultPlace[];
}

const BOTH = ['parameters', 'settings'] as const;
const SETTINGS = ['settings'] as const;
const NONE = [] as const;

/**
 * The fields of `Sampling` that are numbers. The schema of requests, their defaults, the engines' options and the command
 * line all follow from this table. The definitions are llama.cpp's, and so are the neutral values: each comment names it.
 */
export const SAMPLING_FIELDS = {
  /** 0 is greedy; 1 is neutral. */
  temperature: { name: 'temperature', min: 0, max: 2, default: 0.7, modelDefaults: BOTH },
  /** 1 is neutral. */
  topP: { name: 'top_p', min: 0, max: 1, default: 0.95, modelDefaults: BOTH },
  /** 0 considers every token, and so does -1. */
  topK: { name: 'top_k', min: -1, whole: true, default: 40, modelDefaults: BOTH },
  /** 0 is neutral. */
  minP: { name: 'min_p', min: 0, max: 1, default: 0, modelDefaults: SETTINGS },
  /** 1 is neutral. */
  typicalP: { name: 'typical_p', min: 0, max: 1, default: 1, modelDefaults: NONE },
  /** 1 is neutral. */
  repeatPenalty: { name: 'repeat_penalty', min: 0.01, max: 100, default: 1.1, modelDefaults: SETTINGS },
  /** The window of the three penalties, in tokens of prompt and reply. 0 switches them off, -1 is the whole context. */
  repeatLastN: { name: 'repeat_last_n', min: -1, whole: true, default: 64, modelDefaults: NONE },
  /** 0 is neutral. */
  presencePenalty: { name: 'presence_penalty', min: -2, max: 2, default: 0, modelDefaults: BOTH },
  /** 0 is neutral. */
  frequencyPenalty: { name: 'frequency_penalty', min: -2, max: 2, default: 0, modelDefaults: BOTH },
  /** 0 is neutral. */
  dynatempRange: { name: 'dynatemp_range', min: 0, max: 100, default: 0, modelDefaults: NONE },
  /** It only counts where `dynatempRange` is above 0. */
  dynatempExponent: { name: 'dynatemp_exponent', min: 0, max: 100, default: 1, modelDefaults: NONE },
  /** 0 is off; 1 and 2 are the versions of mirostat, which take the place of the other samplers. */
  mirostat: { name: 'mirostat', min: 0, max: 2, whole: true, values: [0, 1, 2], default: 0, modelDefaults: NONE },
  /** It only counts with mirostat. */
  mirostatTau: { name: 'mirostat_tau', min: 0, max: 100, default: 5, modelDefaults: NONE },
  /** It only counts with mirostat. */
  mirostatEta: { name: 'mirostat_eta', min: 0, max: 100, default: 0.1, modelDefaults: NONE },
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

/** The sampling settings: a value for each field of `SAMPLING_FIELDS`. */
export interface Sampling extends Record<SamplingKey, number> {
  /** Unsigned 32-bit. */
  seed: number;
  /** True if the request names no seed: another random number for a token is as good. */
  anySeed?: true;
  logitBias: [token: number, bias: number][];
}
