import type { Enter } from '../composer/enter.ts';
import type { KeptArrival } from '../models/arrival.ts';
import type { Waiting } from '../reply/waiting.ts';
import { readText, writeText } from './safe-storage.ts';

/** A person's choices for the page itself. The API key is stored for this tab only, until it closes. */
export type Theme = 'system' | 'light' | 'dark';

const THEME = 'paddock-theme';
const MODEL = 'paddock-model';
const DEFAULT_MODEL = 'paddock-default-model';
const ENTER = 'paddock-enter';
const CLOSED_FOLDERS = 'paddock-closed-folders';
const LANGUAGE = 'paddock-language';
const KEY = 'paddock-api-key';
const WAITING = 'paddock-waiting';
const ARRIVAL = 'paddock-arrival';

export function readTheme(): Theme {
  const theme = readText('localStorage', THEME);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Shows the page in this theme and stores the choice. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  writeText('localStorage', THEME, theme === 'system' ? null : theme);
}

/** Returns what was chosen; null if nothing was. */
export const readLanguage = (): string | null => readText('localStorage', LANGUAGE);
export const keepLanguage = (language: string): void => void writeText('localStorage', LANGUAGE, language);

/** Calls the listener when another tab has chosen a language. */
export function onLanguageKept(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === LANGUAGE || key === null) listener();
  });
}

export const readModel = (): string | null => readText('localStorage', MODEL);
export const keepModel = (id: string): void => void writeText('localStorage', MODEL, id);

/** Returns what Enter was chosen to do; null if nothing was. */
export function readEnter(): Enter | null {
  const enter = readText('localStorage', ENTER);
  return enter === 'send' || enter === 'newline' ? enter : null;
}
export const keepEnter = (enter: Enter): void => void writeText('localStorage', ENTER, enter);

/** Reads the names of the folders that were closed in the list of chats. */
export function readClosedFolders(): string[] {
  try {
    const names: unknown = JSON.parse(readText('localStorage', CLOSED_FOLDERS) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

export const keepClosedFolders = (names: string[]): void =>
  void writeText('localStorage', CLOSED_FOLDERS, names.length === 0 ? null : JSON.stringify(names));

export const readDefaultModel = (): string | null => readText('localStorage', DEFAULT_MODEL);
export const keepDefaultModel = (id: string | null): void => void writeText('localStorage', DEFAULT_MODEL, id);

export const readKey = (): string | null => readText('sessionStorage', KEY);
export const keepKey = (key: string | null): void => void writeText('sessionStorage', KEY, key);

/** Reads the replies that wait until Paddock is ready. The page may load itself again before it can ask for them. */
export function readWaiting(): Waiting[] {
  try {
    const stored: unknown = JSON.parse(readText('sessionStorage', WAITING) ?? '[]');
    return Array.isArray(stored) ? (stored as Waiting[]) : [];
  } catch {
    return [];
  }
}

export const keepWaiting = (waiting: Waiting[]): void =>
  void writeText('sessionStorage', WAITING, waiting.length === 0 ? null : JSON.stringify(waiting));

/** Reads the pull that this tab had begun before it was loaded again; null if there was none. */
export function readArrival(): KeptArrival | null {
  try {
    return JSON.parse(readText('sessionStorage', ARRIVAL) ?? 'null') as KeptArrival | null;
  } catch {
    return null;
  }
}

export const keepArrival = (arrival: KeptArrival | null): void =>
  void writeText('sessionStorage', ARRIVAL, arrival && JSON.stringify(arrival));
