import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-lines-'));
  writeFileSync(join(folder, 'bundle.js'), "export const fail = () => { throw new Error('boom'); };\n");
  // All of the bundle's first line is from line 6, column 3 of the source.
  const map = { version: 3, sources: ['../src/fail.ts'], names: [], mappings: 'AAKE' };
  writeFileSync(join(folder, 'bundle.js.map'), JSON.stringify(map));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script that has asked for the lines of the sources. Returns what it prints. */
function run(script: string): string {
  const file = join(folder, 'script.mjs');
  const lines = pathToFileURL('dist/src/source-lines.js').href;
  writeFileSync(file, `import { showSourceLines } from '${lines}';\nshowSourceLines();\n${script}`);
  return execFileSync(process.execPath, [file], { encoding: 'utf8' });
}

describe('a stack trace', () => {
  it('names the lines of the sources, and other files as they are', () => {
    const stack = run(
      "import { fail } from './bundle.js';\nfunction call() { fail(); }\ntry { call(); } catch (error) { console.log(error.stack); }",
    );
    const [title, inBundle, inScript] = stack.split('\n');
    expect(title).toBe('Error: boom');
    expect(inBundle).toMatch(/^ {4}at fail \(.*\/src\/fail\.ts:6:3\)$/);
    expect(inScript).toMatch(/^ {4}at call \(file:.*\/script\.mjs:4:19\)$/);
  });

  it('is there for an error that has no text', () => {
    const odd =
      "const odd = new Error('x'); odd.toString = () => { throw new TypeError('no'); }; console.log(odd.stack);";
    expect(run(odd)).toMatch(/^Error.*\n {4}at /);
  });
});
