import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, SETTINGS, type Setting } from '../../src/serve/config/settings.ts';
import { readPages, rowsOf } from './markdown.ts';

const [page] = readPages('docs').filter(({ path }) => path === 'docs/configuration.md');
if (!page) throw new Error('docs/configuration.md is not there');
const rows = rowsOf(page);

/** A setting's default as the table should have it. */
function fallbackOf({ fallbackText, fallback }: Setting<unknown>): string {
  const value = fallback({});
  if (fallbackText !== undefined) return fallbackText;
  if (value === false) return 'off';
  return Array.isArray(value) && value.length === 0 ? 'none' : String(value);
}

describe('the table of docs/configuration.md', () => {
  it.each(SETTING_NAMES)('has %s with its flag, its variable, its key and its default', (name) => {
    const setting = SETTINGS[name] as Setting<unknown>;
    const flag = setting.flags.split(' ')[0];
    const [, variable, key, fallback] = rows.find(([first]) => first === `\`${flag}\``) ?? [];
    expect([variable, key]).toEqual([`\`${setting.env}\``, `\`${name}\``]);
    expect(fallback).toContain(fallbackOf(setting));
  });

  it('says of each list and of each switch that it is one', () => {
    const told = (word: string) =>
      SETTING_NAMES.filter((name) => rows.some((row) => row[2] === `\`${name}\`` && row[4]?.startsWith(word)));
    const settings = (is: (setting: Setting<unknown>) => boolean) =>
      SETTING_NAMES.filter((name) => is(SETTINGS[name] as Setting<unknown>));
    expect(told('A list.')).toEqual(settings(({ list }) => list === true));
    expect(told('A switch.')).toEqual(settings(({ fallback }) => fallback({}) === false));
  });
});
