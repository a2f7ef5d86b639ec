import { readStoredText, writeStoredText } from '../state/safe-storage.ts';
import { readPresets } from '../state/stored.ts';
import { mergePresets, NO_PRESETS, type Presets } from './presets.ts';

const PRESETS = 'paddock-presets';

/** Returns the presets that this browser keeps. What can't be read counts as none. */
export function storedPresets(): Presets {
  return readPresets(readStoredText('localStorage', PRESETS) ?? '') ?? NO_PRESETS;
}

/** Joins presets to those that are kept: another tab may have kept some meanwhile. */
export function keepPresets(presets: Presets): void {
  writeStoredText('localStorage', PRESETS, JSON.stringify(mergePresets(storedPresets(), presets)));
}

/** Calls the listener when another tab has kept presets. */
export function onPresets(listener: (presets: Presets) => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === PRESETS) listener(storedPresets());
  });
}
