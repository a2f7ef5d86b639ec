import { readFileSync } from 'node:fs';

/** Reads a file of the corpus's data. The path is relative to the root of the repository, where all scripts run. */
export function readData<T>(name: string): T {
  return JSON.parse(readFileSync(`models/pico/corpus/${name}.json`, 'utf8')) as T;
}
