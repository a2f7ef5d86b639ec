import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findStaleBuild,
  readBuildInputs,
  removeBuildStamp,
  removeLeftOutputs,
  writeBuildStamp,
} from '../../tools/build-stamp.js';

const TSCONFIGS = ['tsconfig.json', 'tsconfig.base.json', 'tsconfig.neutral.json', 'tsconfig.shared.json'];

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paddock-build-'));
});
afterEach(() => rm(root, { recursive: true }));

async function write(...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), file);
  }
}

/** Puts files there as a repository has them, and says that they are built. */
async function writeBuilt(): Promise<void> {
  await write('package-lock.json', ...TSCONFIGS);
  await write(
    'src/contract/errors.ts',
    'src/main.ts',
    'web/page.tsx',
    'models/pico/pico.gguf',
    'models/pico/README.md',
  );
  await write('dist/src/main.js', 'dist-web/service-worker.js');
  writeBuildStamp(root, readBuildInputs(root));
}

describe('a build', () => {
  beforeEach(writeBuilt);

  it('is fresh as long as the sources are what it was made from', () => {
    expect(findStaleBuild(root)).toBeNull();
  });

  it('is fresh when only times changed, as after a checkout', async () => {
    await utimes(join(root, 'src/main.ts'), new Date(), new Date(Date.now() + 60_000));
    expect(findStaleBuild(root)).toBeNull();
  });

  it('is fresh when a file changed that it is not made from', async () => {
    await write('test/new.test.ts');
    await appendFile(join(root, 'models/pico/README.md'), 'more');
    expect(findStaleBuild(root)).toBeNull();
  });

  it.each(['src/contract/errors.ts', 'web/page.tsx', 'models/pico/pico.gguf', 'package-lock.json', 'tsconfig.json'])(
    'is stale when %s was changed',
    async (file) => {
      await appendFile(join(root, file), ' ');
      expect(findStaleBuild(root)).toBe(`${file} was changed since the last build. Run: npm run build`);
    },
  );

  it('is stale when a source was added', async () => {
    await write('src/new.ts');
    expect(findStaleBuild(root)).toBe('src/new.ts was added since the last build. Run: npm run build');
  });

  it('is stale when a source was removed', async () => {
    await rm(join(root, 'src/main.ts'));
    expect(findStaleBuild(root)).toBe('src/main.ts was removed since the last build. Run: npm run build');
  });

  it('names the first file of several, and counts the others', async () => {
    await write('workers/new.ts', 'src/new.ts');
    await appendFile(join(root, 'web/page.tsx'), ' ');
    expect(findStaleBuild(root)).toMatch(/^src\/new\.ts was added since the last build, and 2 more files differ\./);
  });

  it('is stale once the next build has begun, or a part of it is gone', async () => {
    await rm(join(root, 'dist-web'), { recursive: true });
    expect(findStaleBuild(root)).toMatch(/^Nothing is built.* Run: npm run build$/);
    await write('dist-web/service-worker.js');
    expect(findStaleBuild(root)).toBeNull();
    removeBuildStamp(root);
    expect(findStaleBuild(root)).toMatch(/^Nothing is built/);
  });
});

it('the inputs are all that the compiler is told of, but for the tests and the files that only they use', () => {
  const inputs = Object.keys(readBuildInputs('.'));
  expect(inputs).toEqual(expect.arrayContaining([...TSCONFIGS, 'src/index.ts', 'test/trials/chaos/main.ts']));
  expect(inputs.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
});

it('a repository where nothing was ever built has no fresh build', async () => {
  expect(findStaleBuild(root)).toMatch(/^Nothing is built/);
});

it('outputs whose sources are gone are removed before the next build, and no others', async () => {
  await write('src/here.ts', 'web/page.tsx');
  const kept = [
    'dist/src/here.js',
    'dist/src/here.js.map',
    'dist/src/here.d.ts',
    'dist/web/page.js',
    'dist/programs/engine.js',
  ];
  const left = ['dist/src/gone.js', 'dist/src/gone.js.map', 'dist/src/gone.d.ts', 'dist/gone/all.js'];
  await write('dist/node.tsbuildinfo', ...kept, ...left);
  removeLeftOutputs(root);
  expect(['dist/node.tsbuildinfo', ...kept].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(left.filter((file) => existsSync(join(root, file)))).toEqual([]);
});
