import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { applyTheme, readTheme, type Theme } from '../storage/preferences.ts';

const THEMES: [Theme, string][] = [
  ['system', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function ThemeChoice(): JSX.Element {
  const [chosen, setChosen] = useState(readTheme());
  return (
    <fieldset class="segments">
      <legend class="hidden">Colours</legend>
      {THEMES.map(([theme, label]) => (
        <label key={theme}>
          <input
            type="radio"
            name="theme"
            checked={theme === chosen}
            onChange={() => {
              applyTheme(theme);
              setChosen(theme);
            }}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
