/** A person's choices for the page itself. The API key is stored for this tab only, until it closes. */
export type Theme = 'system' | 'light' | 'dark';

const THEME = 'paddock-theme';
const MODEL = 'paddock-model';
const KEY = 'paddock-api-key';

export function readTheme(): Theme {
  const theme = read(localStorage, THEME);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Shows the page in this theme and stores the choice. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  write(localStorage, THEME, theme === 'system' ? null : theme);
}

export const readModel = (): string | null => read(localStorage, MODEL);
export const keepModel = (id: string): void => write(localStorage, MODEL, id);

export const readKey = (): string | null => read(sessionStorage, KEY);
export const keepKey = (key: string | null): void => write(sessionStorage, KEY, key);

function read(storage: Storage, name: string): string | null {
  return storage.getItem(name);
}

function write(storage: Storage, name: string, value: string | null): void {
  try {
    if (value === null) storage.removeItem(name);
    else storage.setItem(name, value);
  } catch {
    // If the storage is full or forbidden, only the choice is lost at the next visit.
  }
}
