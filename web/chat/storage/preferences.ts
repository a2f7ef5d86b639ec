import { readText, writeText } from './safe-storage.ts';

/** A person's choices for the page itself. The API key is stored for this tab only, until it closes. */
export type Theme = 'system' | 'light' | 'dark';

const THEME = 'paddock-theme';
const MODEL = 'paddock-model';
const KEY = 'paddock-api-key';
const WAITING = 'paddock-waiting';

export function readTheme(): Theme {
  const theme = readText('localStorage', THEME);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Shows the page in this theme and stores the choice. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  writeText('localStorage', THEME, theme === 'system' ? null : theme);
}

export const readModel = (): string | null => readText('localStorage', MODEL);
export const keepModel = (id: string): void => writeText('localStorage', MODEL, id);

export const readKey = (): string | null => readText('sessionStorage', KEY);
export const keepKey = (key: string | null): void => writeText('sessionStorage', KEY, key);

/** The ids of the conversations that wait for an answer. The page may load itself again before it can ask for one. */
export const readWaiting = (): string[] => readText('sessionStorage', WAITING)?.split(' ') ?? [];
export const keepWaiting = (ids: string[]): void =>
  writeText('sessionStorage', WAITING, ids.length === 0 ? null : ids.join(' '));
