type Kind = 'localStorage' | 'sessionStorage';

/** The texts that could not be stored. They last until the page is closed. */
const memory = new Map<string, string>();

/**
 * Returns a stored text; null if there is none. A browser that denies storage throws on any access, so errors are
 * caught.
 */
export function readStoredText(kind: Kind, name: string): string | null {
  try {
    return globalThis[kind].getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/**
 * Stores a text; null removes it. If the browser does not store it, it is kept in memory until the page is closed, and
 * the result is false.
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

/** Returns the names of the stored texts, and of the texts in memory, that begin with `beginning`. */
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
