import { type Field, later, type Stamp } from '../conversation/tree/stamp.ts';
import type { Settings } from '../settings/settings.ts';

/** Settings with a name. */
export interface Preset {
  id: string;
  name: Field<string>;
  settings: Field<Settings>;
  /** A deleted one stays known, so that no other tab brings it back. */
  deleted: Field<boolean>;
}

/** The settings that a person keeps. */
export interface Presets {
  /** By their ids. */
  presets: Record<string, Preset>;
  /** What new chats with a model begin with, by the id of the model; null for nothing of its own. */
  defaults: Record<string, Field<Settings | null>>;
}

export const NO_PRESETS: Presets = { presets: {}, defaults: {} };

/** Joins what two tabs have. The later value of each field counts, in whatever order they come. */
export function mergePresets(one: Presets, other: Presets): Presets {
  return {
    presets: joined(one.presets, other.presets, (known, preset) => ({
      id: known.id,
      name: later(known.name, preset.name),
      settings: later(known.settings, preset.settings),
      deleted: later(known.deleted, preset.deleted),
    })),
    defaults: joined(one.defaults, other.defaults, later),
  };
}

/** Returns the presets that are not deleted, by their names. */
export function presetsOf({ presets }: Presets): Preset[] {
  return Object.values(presets)
    .filter(({ deleted }) => !deleted.value)
    .sort((one, other) => one.name.value.localeCompare(other.name.value) || (one.id < other.id ? -1 : 1));
}

/** Returns what new chats with this model begin with; null for nothing of its own. */
export function defaultsFor({ defaults }: Presets, model: string): Settings | null {
  return defaults[model]?.value ?? null;
}

export function newPreset(id: string, name: string, settings: Settings, at: Stamp): Preset {
  return {
    id,
    name: { value: name, at },
    settings: { value: settings, at },
    deleted: { value: false, at },
  };
}

/** All stamps, so that a clock can see them. */
export function stampsOf({ presets, defaults }: Presets): Stamp[] {
  const fields = Object.values(presets).flatMap(({ name, settings, deleted }) => [name, settings, deleted]);
  return [...fields, ...Object.values(defaults)].map(({ at }) => at);
}

/** True if both say the same, in whatever order their fields are. An empty text is the same as none. */
export function sameSettings(one: Settings, other: Settings): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

function inOrder({ sampling, ...texts }: Settings): object {
  const entries = (values: object) =>
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .sort(([one], [other]) => (one < other ? -1 : 1));
  return [entries(texts), entries(sampling)];
}

function joined<T>(one: Record<string, T>, other: Record<string, T>, join: (one: T, other: T) => T): Record<string, T> {
  const all = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = all[key];
    all[key] = known ? join(known, value) : value;
  }
  return all;
}
