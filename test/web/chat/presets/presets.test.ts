import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultsFor,
  mergePresets,
  NO_PRESETS,
  newPreset,
  type Presets,
  presetsOf,
  sameSettings,
} from '../../../../web/chat/presets/presets.ts';
import { NO_SETTINGS, type Settings } from '../../../../web/chat/settings/settings.ts';
import { readPresets } from '../../../../web/chat/state/stored.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';

const NOW = 1_790_000_000_000;
const at = (time: number, tab = 'a') => ({ time, tab });
const settings: Settings = { ...NO_SETTINGS, system: 'Be brief.', sampling: { top_k: 3 }, effort: 'low', stop: 'END' };
const one = newPreset('1', 'Brief', settings, at(1));
const only = (preset: typeof one): Presets => ({ presets: { [preset.id]: preset }, defaults: {} });

describe('presets', () => {
  it('of two tabs end alike, whatever comes first or twice, with the later name, settings and deletion', () => {
    const changes: Presets[] = [
      only(one),
      only({ ...one, name: { value: 'Short', at: at(3) } }),
      only({ ...one, settings: { value: NO_SETTINGS, at: at(2) }, name: { value: 'Old', at: at(2) } }),
      only({ ...one, deleted: { value: true, at: at(4) } }),
      only({ ...one, deleted: { value: false, at: at(5, 'b') } }),
      { presets: {}, defaults: { pico: { value: settings, at: at(1) } } },
      { presets: {}, defaults: { pico: { value: null, at: at(2) } } },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray([...changes, ...changes], { minLength: 14 }), (all) => {
        const merged = all.reduce(mergePresets, NO_PRESETS);
        expect(presetsOf(merged).map(({ name }) => name.value)).toEqual(['Short']);
        expect(presetsOf(merged)[0]?.settings.value).toEqual(NO_SETTINGS);
        expect(defaultsFor(merged, 'pico')).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('are listed by name, without deleted ones', () => {
    const all = [one, newPreset('2', 'Another', settings, at(2)), newPreset('3', 'Gone', settings, at(3))].map(only);
    const gone = only({ ...newPreset('3', 'Gone', settings, at(3)), deleted: { value: true, at: at(4) } });
    const merged = [...all, gone].reduce(mergePresets, NO_PRESETS);
    expect(presetsOf(merged).map(({ name }) => name.value)).toEqual(['Another', 'Brief']);
  });

  it('are those of a chat if they say the same', () => {
    expect(sameSettings(settings, { ...settings, schema: '', sampling: { top_k: 3 } })).toBe(true);
    const shuffled = { stop: 'END', effort: 'low', sampling: { top_k: 3 }, tools: '', system: 'Be brief.' } as const;
    expect(sameSettings(settings, shuffled)).toBe(true);
    expect(sameSettings(settings, { ...settings, sampling: { top_k: 4 } })).toBe(false);
  });

  it('are in an export, and back with an import, with times that are no later than a day from now', () => {
    const presets: Presets = { ...only(one), defaults: { pico: { value: settings, at: at(5) } } };
    const text = exportText({ heads: [], messages: [] }, presets);
    expect(importText(text, NOW)).toEqual({ heads: [], messages: [], presets });
    const far: Presets = { presets: {}, defaults: { pico: { value: settings, at: at(8e15) } } };
    const bound = importText(exportText({ heads: [], messages: [] }, far), NOW).presets?.defaults.pico?.at.time;
    expect(bound).toBe(NOW + 24 * 60 * 60 * 1000);
  });

  it('are read from what this browser keeps, and are none if that is something else', () => {
    expect(readPresets(JSON.stringify(only(one)))).toEqual(only(one));
    for (const text of ['', '{}', '[1]', '{"presets": {"1": {}}, "defaults": {}}'])
      expect(readPresets(text)).toBeNull();
  });
});
