import { readFileSync } from 'node:fs';

/** Returns the text of a file; '' if it cannot be read, such as a file of /proc on a system other than Linux. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
