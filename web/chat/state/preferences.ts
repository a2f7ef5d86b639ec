import type { Enter } from '../composer/enter.ts';
import type { KeptArrival } from '../models/arrival.ts';
import type { Theme } from '../page/theme.ts';
import type { Waiting } from '../reply/waiting.ts';
import { readStoredText, writeStoredText } from './safe-storage.ts';

// A person's choices for the page itself. The API key is stored for this tab only, until the tab is closed.

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
  const theme = readStoredText('localStorage', THEME);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export const keepTheme = (theme: Theme): void =>
  void writeStoredText('localStorage', THEME, theme === 'system' ? null : theme);

/** Returns the chosen language; null if none was chosen. */
export const readLanguage = (): string | null => readStoredText('localStorage', LANGUAGE);
export const keepLanguage = (language: string): void => void writeStoredText('localStorage', LANGUAGE, language);

/** Calls the listener when another tab has chosen a language. */
export function onLanguageKept(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === LANGUAGE || key === null) listener();
  });
}

export const readModel = (): string | null => readStoredText('localStorage', MODEL);
export const keepModel = (id: string): void => void writeStoredText('localStorage', MODEL, id);

/** Returns the chosen effect of the Enter key; null if none was chosen. */
export function readEnter(): Enter | null {
  const enter = readStoredText('localStorage', ENTER);
  return enter === 'send' || enter === 'newline' ? enter : null;
}
export const keepEnter = (enter: Enter): void => void writeStoredText('localStorage', ENTER, enter);

/** Returns the names of the closed folders in the list of chats. */
export function readClosedFolders(): string[] {
  try {
    const names: unknown = JSON.parse(readStoredText('localStorage', CLOSED_FOLDERS) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

export const keepClosedFolders = (names: string[]): void =>
  void writeStoredText('localStorage', CLOSED_FOLDERS, names.length === 0 ? null : JSON.stringify(names));

export const readDefaultModel = (): string | null => readStoredText('localStorage', DEFAULT_MODEL);
export const keepDefaultModel = (id: string | null): void => void writeStoredText('localStorage', DEFAULT_MODEL, id);

export const readKey = (): string | null => readStoredText('sessionStorage', KEY);
export const keepKey = (key: string | null): void => void writeStoredText('sessionStorage', KEY, key);

/**
 * Returns the replies that wait until Paddock is ready. They are stored because the page may reload itself before that.
 */
export function readWaiting(): Waiting[] {
  try {
    const stored: unknown = JSON.parse(readStoredText('sessionStorage', WAITING) ?? '[]');
    return Array.isArray(stored) ? (stored as Waiting[]) : [];
  } catch {
    return [];
  }
}

export const keepWaiting = (waiting: Waiting[]): void =>
  void writeStoredText('sessionStorage', WAITING, waiting.length === 0 ? null : JSON.stringify(waiting));

/** Returns the pull that this tab had begun before the page was reloaded; null if there was none. */
export function readArrival(): KeptArrival | null {
  try {
    return JSON.parse(readStoredText('sessionStorage', ARRIVAL) ?? 'null') as KeptArrival | null;
  } catch {
    return null;
  }
}

export const keepArrival = (arrival: KeptArrival | null): void =>
  void writeStoredText('sessionStorage', ARRIVAL, arrival && JSON.stringify(arrival));
