import { readStoredText, writeStoredText } from '../state/safe-storage.ts';
import { readPresets } from '../state/stored.ts';
import { mergePresets, NO_PRESETS, type Presets } from './presets.ts';

const PRESETS = 'paddock-presets';

/** Returns the presets in this browser's storage; none if they can't be read. */
export function storedPresets(): Presets {
  return readPresets(readStoredText('localStorage', PRESETS) ?? '') ?? NO_PRESETS;
}

/** Merges presets into the stored ones, because another tab may have stored some meanwhile. */
export function keepPresets(presets: Presets): void {
  writeStoredText('localStorage', PRESETS, JSON.stringify(mergePresets(storedPresets(), presets)));
}

/** Calls the listener when another tab has stored presets. */
export function onPresets(listener: (presets: Presets) => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === PRESETS) listener(storedPresets());
  });
}
