/** A sampling field of the API that a person can set. */
export interface SamplingField {
  name: SamplingName;
  label: string;
  hint: string;
  min: number;
  max: number | null;
  step: number;
}

export type SamplingName =
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'min_p'
  | 'repeat_penalty'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'max_tokens'
  | 'seed';

/** The settings of a conversation. Absent fields leave the model's defaults. */
export interface Settings {
  system: string;
  /** OpenAI's `tools` as JSON text; '' for no tools. */
  tools: string;
  sampling: Partial<Record<SamplingName, number>>;
}

export const NO_SETTINGS: Settings = { system: '', tools: '', sampling: {} };

/** The fields in the order of the form. The ranges are the API's. */
export const SAMPLING_FIELDS: SamplingField[] = [
  { name: 'temperature', label: 'Temperature', hint: 'higher is more surprising', min: 0, max: 2, step: 0.05 },
  { name: 'max_tokens', label: 'Longest reply', hint: 'in tokens', min: 1, max: null, step: 1 },
  { name: 'top_p', label: 'Top P', hint: 'the likeliest share', min: 0, max: 1, step: 0.01 },
  { name: 'top_k', label: 'Top K', hint: 'the likeliest few; 0 is all', min: 0, max: null, step: 1 },
  { name: 'min_p', label: 'Min P', hint: 'at least so likely', min: 0, max: 1, step: 0.01 },
  { name: 'repeat_penalty', label: 'Repeat penalty', hint: '1 is none', min: 0.01, max: 100, step: 0.01 },
  { name: 'presence_penalty', label: 'Presence penalty', hint: '0 is none', min: -2, max: 2, step: 0.1 },
  { name: 'frequency_penalty', label: 'Frequency penalty', hint: '0 is none', min: -2, max: 2, step: 0.1 },
  { name: 'seed', label: 'Seed', hint: 'the same again', min: 0, max: 4_294_967_295, step: 1 },
];

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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The tools are not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(value)) throw new Error('The tools must be an array: [{"type": "function", "function": {…}}]');
  return value;
}
