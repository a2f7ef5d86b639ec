import { readFileSync } from 'node:fs';

/** The text of a file; empty where there is none, as of /proc on other systems than Linux. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
