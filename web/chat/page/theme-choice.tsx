import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import type { MessageKey } from '../messages/translate.ts';
import type { Theme } from './theme.ts';
import { chooseTheme, currentTheme } from './theme-actions.ts';

const THEMES: [Theme, MessageKey][] = [
  ['system', 'page.themeSystem'],
  ['light', 'page.themeLight'],
  ['dark', 'page.themeDark'],
];

export function ThemeChoice(): JSX.Element {
  const [chosen, setChosen] = useState(currentTheme());
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
              chooseTheme(theme);
              setChosen(theme);
            }}
          />
          <span>{t(label)}</span>
        </label>
      ))}
    </fieldset>
  );
}
