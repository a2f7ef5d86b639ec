import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * Matches a file that needs the build, the models or a browser: `inject` gives the folder of the test models, a path
 * into dist or dist-web leads to the build, playwright drives a browser, and the last two names run a model.
 */
const USES_WHAT_IS_MADE =
  /\binject\(|['"`](?:\.{1,2}\/)*dist(?:-web)?['"`/]|['"]playwright-core['"]|\b(?:getLlama|loadNativeEngine|openNativeModel)\(/;

/** The names of other files, in imports and in `new URL`. */
const RELATIVE_NAME = /['"](\.{1,2}\/[^'"]+\.m?[jt]sx?)['"]/g;

/** The longest test files, with the times of a whole run on two cores: those of 40 s and more, the longest first. */
export const LONGEST = [
  'test/contract/native.test.ts',
  'test/pool/takeover.test.ts',
  'test/contract/browser.test.ts',
  'test/contract/wasm.test.ts',
  'test/pool/copies/checkpoints.test.ts',
  'test/trials/chaos/tools.test.ts',
  'test/web/two-tabs.test.ts',
  'test/engine/tokenizer/tokenizer.test.ts',
  'test/package/install.test.ts',
  'test/web/chat/page/never-blank.test.ts',
  'test/cli/commands/usage.test.ts',
  'test/web/chat/page/tabs.test.ts',
  'test/pool/unloading.test.ts',
  'test/web/chat/page/accessibility.test.ts',
  'test/engine/native/forgetful-guesses.test.ts',
  'test/cli/commands/server.test.ts',
  'test/web/chat/page/page.test.ts',
  'test/web/chat/models/find.test.ts',
  'test/web/chat/models/own-server-away.test.ts',
  'test/engine/native/ahead.test.ts',
  'test/cli/commands/starters.test.ts',
];

/** Returns the test files below a folder, sorted. */
export function listTests(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}

/**
 * True if a test, or a file that it uses, needs the build, the models or a browser. Follows imports only within
 * `tests`, the folder of all tests, since the sources never need them.
 */
export function needsWhatIsMade(file: string, tests: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (USES_WHAT_IS_MADE.test(text)) return true;
  return [...text.matchAll(RELATIVE_NAME)]
    .map(([, name = '']) => join(dirname(file), name))
    .filter((used) => used.startsWith(tests + sep) && existsSync(used))
    .some((used) => needsWhatIsMade(used, tests, seen));
}
