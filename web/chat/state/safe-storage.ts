type Kind = 'localStorage' | 'sessionStorage';

/** What could not be stored. It lasts until the page is closed. */
const memory = new Map<string, string>();

/** Reads a text. Browsers that deny storage throw even when it is looked at. */
export function readStoredText(kind: Kind, name: string): string | null {
  try {
    return globalThis[kind].getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/**
 * Stores a text, or keeps it until the page is closed if the browser stores nothing. Null removes it. Returns false if it
 * is not stored.
 */
export function writeStoredText(kind: Kind, name: string, value: string | null): boolean {
  memory.delete(name);
  try {
    if (value === null) globalThis[kind].removeItem(name);
    else globalThis[kind].setItem(name, value);
    return true;
  } catch {
    if (value !== null) memory.set(name, value);
    return false;
  }
}

/** The names of what is stored, or kept until the page is closed, that begin so. */
export function namesWith(kind: Kind, beginning: string): string[] {
  return [...new Set([...memory.keys(), ...storedNames(kind)])].filter((name) => name.startsWith(beginning));
}

function storedNames(kind: Kind): string[] {
  try {
    return Object.keys(globalThis[kind]);
  } catch {
    return [];
  }
}
