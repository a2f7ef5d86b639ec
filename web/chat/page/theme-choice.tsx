import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import type { Key } from '../messages/translate.ts';
import { applyTheme, readTheme, type Theme } from '../state/preferences.ts';

const THEMES: [Theme, Key][] = [
  ['system', 'page.themeSystem'],
  ['light', 'page.themeLight'],
  ['dark', 'page.themeDark'],
];

export function ThemeChoice(): JSX.Element {
  const [chosen, setChosen] = useState(readTheme());
  return (
    <fieldset class="segments">
      <legend class="hidden">{t('page.colours')}</legend>
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
          <span>{t(label)}</span>
        </label>
      ))}
    </fieldset>
  );
}
