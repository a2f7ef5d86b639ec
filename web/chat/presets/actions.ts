import { compareStamps } from '../conversation/tree/stamp.ts';
import { type Context, setValues } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { currentHead, modelOf } from '../state/selectors.ts';
import { defaultsFor, newPreset, type Preset, type Presets, stampsOf } from './presets.ts';
import { keepPresets, onPresets, storedPresets } from './storage.ts';

/** Actions for stored settings. */
export interface PresetActions {
  /** Stores the settings of the current conversation under a name. */
  save(name: string): void;
  /** Applies a preset's settings to the current conversation. */
  use(preset: Preset): void;
  rename(preset: Preset, name: string): void;
  /** Deletes or restores a preset. */
  setDeleted(preset: Preset, deleted: boolean): void;
  /**
   * Stores the settings of the current conversation as the default for new chats with its model, or removes that
   * default.
   */
  setDefault(wanted: boolean): void;
}

export function presetActions(context: Context): PresetActions {
  const { store, clock } = context;
  const put = (preset: Preset) => changePresets(context, { presets: { [preset.id]: preset }, defaults: {} });

  return {
    save: (name) => put(newPreset(newId(), name, currentHead(store.get()).settings.value, clock.next())),
    use: ({ settings }) => setValues(context, store.get().currentId, { settings: settings.value }),
    rename: (preset, name) => put({ ...preset, name: { value: name, at: clock.next() } }),
    setDeleted: (preset, deleted) => put({ ...preset, deleted: { value: deleted, at: clock.next() } }),
    setDefault: (wanted) => {
      const state = store.get();
      const head = currentHead(state);
      const model = modelOf(state, { model: head.model.value });
      if (!model) return;
      const value = wanted ? head.settings.value : null;
      changePresets(context, { presets: {}, defaults: { [model.id]: { value, at: clock.next() } } });
    },
  };
}

/** Reads the presets of this browser, and follows the changes of other tabs. */
export function followPresets(context: Context): void {
  take(context, storedPresets());
  onPresets((presets) => take(context, presets));
}

/** Merges a change into the presets of this tab and into the storage, which informs the other tabs. */
export function changePresets(context: Context, presets: Presets): void {
  take(context, presets);
  keepPresets(presets);
}

/**
 * Applies the default settings of its model to the conversation that has not begun, unless its settings were changed.
 */
export function settleFresh({ store }: Context): void {
  const state = store.get();
  const { fresh } = state;
  const isSet = compareStamps(fresh.settings.at, fresh.title.at) !== 0;
  if (isSet || state.chats.heads[fresh.id]) return;
  const model = modelOf(state, { model: fresh.model.value });
  const value = model && defaultsFor(state.presets, model.id);
  if (!value || value === fresh.settings.value) return;
  store.dispatch({ kind: 'fresh', head: { ...fresh, settings: { ...fresh.settings, value } } });
}

function take(context: Context, presets: Presets): void {
  for (const stamp of stampsOf(presets)) context.clock.see(stamp);
  context.store.dispatch({ kind: 'presets', presets });
  settleFresh(context);
}
