import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What a file says that uses something which has to be made first: `inject` hands out the test models, a path into dist
 * or dist-web leads to the build, and playwright drives a browser.
 */
const USES_WHAT_IS_MADE = /\binject\(|['"`](?:\.{1,2}\/)*dist(?:-web)?['"`/]|['"]playwright-core['"]/;

/** Names of other files, as imports and `new URL` give them. */
const RELATIVE_NAME = /'(\.{1,2}\/[^']+\.m?[jt]s)'/g;

/** The test files below a folder, in order. */
export function listTests(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}

/**
 * True for a test that needs the build, the models or a browser: it says so itself, or a file that it uses does. Files
 * outside the folder of tests are not read: the sources run as they are.
 */
export function needsWhatIsMade(file: string, folder: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (USES_WHAT_IS_MADE.test(text)) return true;
  return [...text.matchAll(RELATIVE_NAME)]
    .map(([, name = '']) => join(dirname(file), name))
    .filter((used) => used.startsWith(join(folder, '/')) && existsSync(used))
    .some((used) => needsWhatIsMade(used, folder, seen));
}
