import {
  SAMPLING_FIELDS as API_FIELDS,
  type SamplingField as ApiField,
  type SamplingName as ApiName,
  type EFFORTS,
} from '../../../src/contract/sampling.ts';
import { LocalizedError } from '../messages/problem.ts';
import type { MessageKey, Said } from '../messages/translate.ts';

/** A numeric field of the request that a person can set. */
export interface SamplingSetting {
  name: SamplingSettingName;
  label: MessageKey;
  hint: MessageKey;
  min: number;
  max: number | null;
  /** True if only whole numbers are valid. */
  whole: boolean;
  /** The value, as text, if neither the person nor the model sets one. */
  otherwise: Said | string;
}

export type SamplingSettingName = ApiName | 'max_tokens' | 'seed';

export type Effort = (typeof EFFORTS)[number];

/** The settings of a conversation. If a field is absent, the model's default applies. */
export interface Settings {
  system: string;
  /** OpenAI's `tools` as JSON text; '' for no tools. */
  tools: string;
  sampling: Partial<Record<SamplingSettingName, number>>;
  effort?: Effort;
  /** Stop sequences, one on each line. */
  stop?: string;
  /** The JSON schema of the replies, as text. */
  schema?: string;
  /** Further fields of the request, as the text of a JSON object. */
  more?: string;
}

export const NO_SETTINGS: Settings = { system: '', tools: '', sampling: {} };

const MOST_STOPS = 4;

/** Fields that the page sets itself, or that would change the response so that the page can't read it. */
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

function words<Name extends SamplingSettingName>(name: Name) {
  return { name, label: `sampling.${name}`, hint: `samplingHint.${name}` } as const;
}

function fromApi({ name, min, max, whole, default: otherwise }: ApiField & { name: ApiName }): SamplingSetting {
  return { ...words(name), min, max: max ?? null, whole: whole === true, otherwise: String(otherwise) };
}

const OF_API = Object.values(API_FIELDS).map(fromApi);

const LONGEST: SamplingSetting = {
  ...words('max_tokens'),
  min: 1,
  max: null,
  whole: true,
  otherwise: { key: 'sampling.noLimit' },
};

const SEED: SamplingSetting = {
  ...words('seed'),
  min: 0,
  max: 4_294_967_295,
  whole: true,
  otherwise: { key: 'sampling.random' },
};

/** The fields that most people use. */
export const FIRST_FIELDS: SamplingSetting[] = [...OF_API.filter(({ name }) => name === 'temperature'), LONGEST];

/** All other fields, in the order of the form. */
export const OTHER_FIELDS: SamplingSetting[] = [...OF_API.filter(({ name }) => name !== 'temperature'), SEED];

/** All fields. The ranges are the API's. */
export const SAMPLING_SETTINGS: SamplingSetting[] = [...FIRST_FIELDS, ...OTHER_FIELDS];

/** Parses a typed value. Returns undefined if it is empty, and null if the API would refuse it. */
export function readSampling({ min, max, whole }: SamplingSetting, typed: string): number | undefined | null {
  if (typed.trim() === '') return undefined;
  const value = Number(typed);
  const fits = !whole || Number.isInteger(value);
  return Number.isFinite(value) && fits && value >= min && (max === null || value <= max) ? value : null;
}

/** Sets one field. Undefined restores the model's default. */
export function withSampling(settings: Settings, name: SamplingSettingName, value: number | undefined): Settings {
  const { [name]: _, ...others } = settings.sampling;
  return { ...settings, sampling: value === undefined ? others : { ...others, [name]: value } };
}

/** Parses the tools of the settings. Throws a `LocalizedError` if they are not a JSON array. */
export function readTools(text: string): unknown[] {
  if (text.trim() === '') return [];
  const value = readJson(text, 'settings.toolsNotJson');
  if (!Array.isArray(value)) {
    throw new LocalizedError('settings.toolsNotArray', { example: '[{"type": "function", "function": {…}}]' });
  }
  return value;
}

/** Parses the stop sequences. Throws a `LocalizedError` if there are too many. */
export function readStop(text = ''): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > MOST_STOPS) throw new LocalizedError('settings.tooManyStops', { most: MOST_STOPS });
  return lines;
}

/** Parses the JSON schema of the replies. Returns null if there is none. Throws a `LocalizedError` if it is invalid. */
export function readSchema(text = ''): object | null {
  if (text.trim() === '') return null;
  const value = readJson(text, 'settings.schemaNotJson');
  if (!isObject(value)) {
    throw new LocalizedError('settings.schemaNotObject', { example: '{"type": "object", "properties": {…}}' });
  }
  return value;
}

/** Parses the further fields of the request. Throws a `LocalizedError` if they are invalid. */
export function readMore(text = ''): object {
  if (text.trim() === '') return {};
  const value = readJson(text, 'settings.moreNotJson');
  if (!isObject(value)) throw new LocalizedError('settings.moreNotObject', { example: '{"logit_bias": {…}}' });
  const own = OWN_FIELDS.find((name) => Object.hasOwn(value, name));
  if (own !== undefined) throw new LocalizedError('settings.ownField', { name: own });
  return value;
}

function readJson(text: string, problem: MessageKey): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LocalizedError(problem, { reason: (error as Error).message });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
