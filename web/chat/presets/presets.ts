import { type Field, later, type Stamp } from '../conversation/tree/stamp.ts';
import type { Settings } from '../settings/settings.ts';

/** Settings with a name. */
export interface Preset {
  id: string;
  name: Field<string>;
  settings: Field<Settings>;
  /** A deleted preset stays in the list, so that a merge with another tab does not restore it. */
  deleted: Field<boolean>;
}

/** All stored settings. */
export interface Presets {
  /** By their ids. */
  presets: Record<string, Preset>;
  /** The default settings of new chats, by the id of their model; null for none. */
  defaults: Record<string, Field<Settings | null>>;
}

export const NO_PRESETS: Presets = { presets: {}, defaults: {} };

/** Merges the presets of two tabs. The later value of each field counts, in any order of merging. */
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

/** Returns the presets that are not deleted, sorted by their names. */
export function presetsOf({ presets }: Presets): Preset[] {
  return Object.values(presets)
    .filter(({ deleted }) => !deleted.value)
    .sort((one, other) => one.name.value.localeCompare(other.name.value) || (one.id < other.id ? -1 : 1));
}

/** Returns the default settings of new chats with this model; null for none. */
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

/** Returns all stamps in the presets, for `Clock.see`. */
export function stampsOf({ presets, defaults }: Presets): Stamp[] {
  const fields = Object.values(presets).flatMap(({ name, settings, deleted }) => [name, settings, deleted]);
  return [...fields, ...Object.values(defaults)].map(({ at }) => at);
}

/**
 * True if both settings have the same effect. The order of fields does not matter, and an empty text equals no text.
 */
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
