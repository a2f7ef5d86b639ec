import * as v from 'valibot';
import { EFFORTS } from '../../../src/contract/sampling.ts';
import { LAST_TIME } from '../conversation/tree/stamp.ts';
import type { Presets } from '../presets/presets.ts';
import { PROMPT_LIMITS } from '../prompts/prompts.ts';
import { SAMPLING_SETTINGS } from '../settings/settings.ts';

// Schemas of data that this browser stores and that export files contain.

export const count = v.pipe(v.number(), v.finite());

export const time = v.pipe(v.number(), v.minValue(0), v.maxValue(LAST_TIME));

export const id = v.pipe(v.string(), v.nonEmpty());

const sampling = v.record(v.picklist(SAMPLING_SETTINGS.map(({ name }) => name)), count);

export const settings = v.object({
  system: v.string(),
  tools: v.string(),
  sampling,
  effort: v.exactOptional(v.picklist(EFFORTS)),
  stop: v.exactOptional(v.string()),
  schema: v.exactOptional(v.string()),
  more: v.exactOptional(v.string()),
});

export const stamp = v.object({ time, tab: v.string() });

export const field = <const Value extends v.GenericSchema>(value: Value) => v.object({ value, at: stamp });

/** A prompt as it is stored and exported. */
export const promptSchema = v.object({
  id,
  name: field(v.pipe(v.string(), v.regex(/^[^\s/]\S*$/), v.maxLength(PROMPT_LIMITS.name))),
  text: field(v.pipe(v.string(), v.maxLength(PROMPT_LIMITS.text))),
  deleted: field(v.boolean()),
});

export const presetsSchema = v.object({
  presets: v.record(
    id,
    v.object({ id, name: field(v.string()), settings: field(settings), deleted: field(v.boolean()) }),
  ),
  defaults: v.record(id, field(v.nullable(settings))),
});

/** Parses the stored text of the presets. Returns null if it is invalid. */
export function readPresets(text: string): Presets | null {
  try {
    return v.parse(presetsSchema, JSON.parse(text));
  } catch {
    return null;
  }
}
