import {
  SAMPLING_FIELDS as API_FIELDS,
  type SamplingField as ApiField,
  type SamplingName as ApiName,
} from '../../../src/core/sampling/fields.ts';

/** A number of a request that a person can set. */
export interface SamplingField {
  name: SamplingName;
  label: string;
  hint: string;
  min: number;
  max: number | null;
  /** The step in which it is typed; 1 takes whole numbers alone. */
  step: number;
  /** What holds if neither a person nor the model says anything else. */
  otherwise: string;
}

export type SamplingName = ApiName | 'max_tokens' | 'seed';

/** How much a model may think. These are the words of the API. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The settings of a conversation. Absent fields leave the model's defaults. Those from before a field existed lack it. */
export interface Settings {
  system: string;
  /** OpenAI's `tools` as JSON text; '' for no tools. */
  tools: string;
  sampling: Partial<Record<SamplingName, number>>;
  effort?: Effort;
  /** Texts that end a reply, one on each line. */
  stop?: string;
  /** The JSON schema of the replies, as text. */
  schema?: string;
  /** More fields of the request, a JSON object as text. */
  more?: string;
}

export const NO_SETTINGS: Settings = { system: '', tools: '', sampling: {} };

const MOST_STOPS = 4;

/** These are set by the page, or change what it can read. */
const OWN_FIELDS = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'return_progress',
  'context_overflow',
  'n',
  'best_of',
  'continue_final_message',
  'add_generation_prompt',
];

type Words = [label: string, hint: string, step: number];

/** The numbers of the API in words. */
const WORDS: Record<ApiName, Words> = {
  temperature: ['Temperature', 'higher is more surprising', 0.05],
  top_p: ['Top P', 'the likeliest share', 0.01],
  top_k: ['Top K', 'the likeliest few; 0 is all', 1],
  min_p: ['Min P', 'at least so likely', 0.01],
  typical_p: ['Typical P', 'the most usual share; 1 is all', 0.01],
  repeat_penalty: ['Repeat penalty', '1 is none', 0.01],
  repeat_last_n: ['Penalties look back', 'in tokens; -1 is all of the context', 1],
  presence_penalty: ['Presence penalty', '0 is none', 0.1],
  frequency_penalty: ['Frequency penalty', '0 is none', 0.1],
  dynatemp_range: ['Dynamic range', 'how far the temperature varies; 0 is off', 0.05],
  dynatemp_exponent: ['Dynamic exponent', 'counts with a dynamic range', 0.1],
  mirostat: ['Mirostat', '0 is off; 1 and 2 are its versions', 1],
  mirostat_tau: ['Mirostat surprise', 'counts with Mirostat', 0.1],
  mirostat_eta: ['Mirostat rate', 'counts with Mirostat', 0.01],
};

function fromApi({ name, min, max, default: otherwise }: ApiField & { name: ApiName }): SamplingField {
  const [label, hint, step] = WORDS[name];
  return { name, label, hint, min, max: max ?? null, step, otherwise: String(otherwise) };
}

const OF_API = Object.values(API_FIELDS).map(fromApi);

const LONGEST: SamplingField = {
  name: 'max_tokens',
  label: 'Longest reply',
  hint: 'in tokens',
  min: 1,
  max: null,
  step: 1,
  otherwise: 'no limit',
};

const SEED: SamplingField = {
  name: 'seed',
  label: 'Seed',
  hint: 'the same again',
  min: 0,
  max: 4_294_967_295,
  step: 1,
  otherwise: 'random',
};

/** The fields that most people look for. */
export const FIRST_FIELDS: SamplingField[] = [...OF_API.filter(({ name }) => name === 'temperature'), LONGEST];

/** All others, in the order of the form. */
export const OTHER_FIELDS: SamplingField[] = [...OF_API.filter(({ name }) => name !== 'temperature'), SEED];

/** All fields. The ranges are the API's. */
export const SAMPLING_FIELDS: SamplingField[] = [...FIRST_FIELDS, ...OTHER_FIELDS];

/** Parses a typed value. Returns undefined if it is empty and null if the API would refuse it. */
export function readSampling({ min, max, step }: SamplingField, typed: string): number | undefined | null {
  if (typed.trim() === '') return undefined;
  const value = Number(typed);
  const whole = step !== 1 || Number.isInteger(value);
  return Number.isFinite(value) && whole && value >= min && (max === null || value <= max) ? value : null;
}

/** Sets one field. Undefined restores the model's default. */
export function withSampling(settings: Settings, name: SamplingName, value: number | undefined): Settings {
  const { [name]: _, ...others } = settings.sampling;
  return { ...settings, sampling: value === undefined ? others : { ...others, [name]: value } };
}

/** Parses the tools of the settings. Throws an `Error` that says what is wrong. */
export function readTools(text: string): unknown[] {
  if (text.trim() === '') return [];
  const value = readJson(text, 'The tools are');
  if (!Array.isArray(value)) throw new Error('The tools must be an array: [{"type": "function", "function": {…}}]');
  return value;
}

/** Parses the texts that end a reply. Throws an `Error` that says what is wrong. */
export function readStop(text = ''): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > MOST_STOPS) throw new Error(`At most ${MOST_STOPS} texts can end a reply, one on each line.`);
  return lines;
}

/** Parses the schema of the replies; null if there is none. Throws an `Error` that says what is wrong. */
export function readSchema(text = ''): object | null {
  if (text.trim() === '') return null;
  const value = readJson(text, 'The schema is');
  if (!isObject(value)) throw new Error('The schema must be an object: {"type": "object", "properties": {…}}');
  return value;
}

/** Parses the further fields of the request. Throws an `Error` that says what is wrong. */
export function readMore(text = ''): object {
  if (text.trim() === '') return {};
  const value = readJson(text, 'The fields are');
  if (!isObject(value)) throw new Error('The fields must be an object: {"logit_bias": {…}}');
  const own = OWN_FIELDS.find((name) => Object.hasOwn(value, name));
  if (own !== undefined) throw new Error(`“${own}” is set by this page.`);
  return value;
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} not valid JSON: ${(error as Error).message}`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
