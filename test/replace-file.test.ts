import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER_ONLY, replaceFile } from '../src/replace-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-replace-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a file that is replaced', () => {
  it('has the new text, in a folder that is made, and nothing lies beside it', async () => {
    const file = join(folder, 'deep', 'file.json');
    await replaceFile(file, 'one');
    await replaceFile(file, 'two');
    expect(await readFile(file, 'utf8')).toBe('two');
    expect(await readdir(join(folder, 'deep'))).toEqual(['file.json']);
  });

  it.skipIf(process.platform === 'win32')('can be for its owner alone, also if it was not before', async () => {
    const file = join(folder, 'secret');
    await writeFile(file, 'old', { mode: 0o644 });
    await replaceFile(file, 'new', OWNER_ONLY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('leaves no draft behind when it can not be written', async () => {
    const taken = join(folder, 'taken');
    await mkdir(taken);
    await expect(replaceFile(taken, 'text')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['taken']);
  });

  it('is the one that a link leads to, and the link stays', async () => {
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    await writeFile(file, 'old');
    await symlink(file, link);
    await replaceFile(link, 'new');
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it('is whole, whoever else writes it at the same time', async () => {
    const file = join(folder, 'file');
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    await Promise.all(texts.map((text) => replaceFile(file, text)));
    expect(texts).toContain(await readFile(file, 'utf8'));
    expect(await readdir(folder)).toEqual(['file']);
  });
});
