/**
 * Returns a parsed JSON value in which U+FFFD replaces each half of a surrogate pair without its other half, in texts
 * and keys. Such a half is no character, and an engine must only get valid text. Changes lists and objects in place.
 */
export function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) if (needsWork(item)) value[index] = toWellFormed(item);
  } else if (typeof value === 'object' && value !== null) {
    mendEntries(value as Record<string, unknown>);
  }
  return value;
}

function mendEntries(object: Record<string, unknown>): void {
  for (const key of Object.keys(object)) {
    // The key is the object's own, even if it is __proto__: JSON.parse makes it so.
    if (needsWork(object[key])) object[key] = toWellFormed(object[key]);
    if (key.isWellFormed()) continue;
    object[key.toWellFormed()] = object[key];
    delete object[key];
  }
}

function needsWork(value: unknown): boolean {
  return typeof value === 'string' ? !value.isWellFormed() : typeof value === 'object' && value !== null;
}
