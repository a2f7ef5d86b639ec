import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONGEST, listTests, needsWhatIsMade } from './projects.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-projects-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(file: string, text: string): Promise<string> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
  return join(folder, file);
}

describe('a test is fast', () => {
  it.each([
    ['uses sources alone', "import { a } from '../../src/a.ts';"],
    ['names a folder of a package', "import { Ajv2020 } from 'ajv/dist/2020.js';"],
    ['speaks of the build', '// Nothing of dist/ is used, nor of dist-web.'],
  ])('when it %s', async (_what, text) => {
    expect(needsWhatIsMade(await write('fast.test.ts', text), folder)).toBe(false);
  });

  it('when the files that it uses are, also in a circle', async () => {
    await write('circle/a.ts', "import './b.ts';");
    await write('circle/b.ts', "import './a.ts';");
    expect(needsWhatIsMade(await write('circle/a.test.ts', "import './a.ts';"), folder)).toBe(false);
  });
});

describe('a test needs what is made', () => {
  it.each([
    ['takes the models', "const models = inject('modelsFolder');"],
    ['imports what is compiled', "import { createPool } from '../../dist/src/pool/pool.js';"],
    ['runs what is compiled', "spawn('dist/src/cli/main.js');"],
    ['reads the built site', "await cp('dist-web', folder);"],
    ['drives a browser', "import { chromium } from 'playwright-core';"],
    ['runs a model', 'const llama = await getLlama();'],
  ])('when it %s', async (_what, text) => {
    expect(needsWhatIsMade(await write('made.test.ts', text), folder)).toBe(true);
  });

  it('when a file that it uses does, however far away', async () => {
    await write('support/server.ts', "const MAIN = 'dist/src/cli/main.js';");
    await write('support/cli.ts', "import { startServer } from './server.ts';");
    const file = await write('cli/cli.test.ts', "import { openCli } from '../support/cli.ts';");
    expect(needsWhatIsMade(file, folder)).toBe(true);
  });

  it('when a thread that it starts does', async () => {
    await write('engine/thread.mjs', "import { load } from '../../dist/src/load.js';");
    const file = await write('engine/engine.test.ts', "new Worker(new URL('./thread.mjs', import.meta.url));");
    expect(needsWhatIsMade(file, folder)).toBe(true);
  });
});

it('each test file belongs to one project', async () => {
  const root = resolve(import.meta.dirname, '../..');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'list', '--filesOnly', '--json'], {
    cwd: root,
  });
  const listed = (JSON.parse(stdout) as { file: string; projectName: string }[]).map(({ file }) => file);
  expect(listed.sort()).toEqual(listTests(join(root, 'test')));
});

describe('the longest tests', () => {
  it('are files that are there, and none of the fast ones', () => {
    expect(LONGEST.filter((file) => !existsSync(file) || !needsWhatIsMade(file, 'test'))).toEqual([]);
  });
});
