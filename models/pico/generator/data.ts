import { readFileSync } from 'node:fs';

/**
 * Reads `models/pico/corpus/<name>.json`. All scripts run in the root of the repository. Throws if there is no such
 * file.
 */
export function readData<T>(name: string): T {
  return JSON.parse(readFileSync(`models/pico/corpus/${name}.json`, 'utf8')) as T;
}
