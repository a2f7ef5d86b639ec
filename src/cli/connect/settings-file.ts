import { readFile } from 'node:fs/promises';
import { OWNER_ONLY } from '../../replace-file.ts';
import { writeGivenFile } from '../../serve/config/given-file.ts';
import { messageOf } from '../../utils/error-message.ts';
import { isObject, parseObject } from '../../utils/json.ts';
import type { SettingsFile } from './setup.ts';

type Content = SettingsFile['content'];

/** Returns the settings as the text of a file. */
export function formatSettingsFile(content: Content): string {
  return content.format === 'json' ? `${JSON.stringify(content.value, null, 2)}\n` : content.text;
}

/**
 * Returns the new text of a settings file. `existing` is its present text; null if there is no file. Returns null if
 * the settings have to be added by hand: the present text is not plain JSON, or its format can not be merged.
 */
export function mergedText(existing: string | null, content: Content): string | null {
  if (existing === null || existing.trim() === '') return formatSettingsFile(content);
  if (content.format !== 'json') return existing === content.text ? existing : null;
  const value = parseObject(existing);
  return value && `${JSON.stringify(merge(value, content.value), null, 2)}\n`;
}

/**
 * Returns the text of a settings file; null if there is none. Throws an `Error` that names the file if it can't be
 * read.
 */
export async function readSettings(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${path} can't be read: ${messageOf(error)}`);
  }
}

/** Writes a settings file that only its owner can read, since it may contain a key. */
export function writeSettings(path: string, text: string): Promise<void> {
  return writeGivenFile(path, text, OWNER_ONLY);
}

/** Merges `from` into an object, level by level. A value that is not an object replaces the present value. */
function merge(into: Record<string, unknown>, from: object): Record<string, unknown> {
  const merged = { ...into };
  for (const [key, value] of Object.entries(from)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}
