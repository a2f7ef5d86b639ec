import { keepTheme, readTheme } from '../state/preferences.ts';
import type { Theme } from './theme.ts';

/** Returns the theme that was chosen in this browser. */
export function currentTheme(): Theme {
  return readTheme();
}

/** Shows the page in this theme, and stores the choice. */
export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  keepTheme(theme);
}

/** Shows the page in the theme that was chosen. */
export function beginTheme(): void {
  showTheme(readTheme());
}

function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}
