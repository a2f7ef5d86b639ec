import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planRemoval, removeModel } from '../../src/catalogue/remove.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'paddock-remove-')));
  folder = join(root, 'models');
});
afterEach(() => rm(root, { recursive: true }));

/** Writes files of 10 bytes below the root. */
async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '0123456789');
  }
}

/** Removes these files of the models folder and gives the bytes that it tells. */
async function remove(...files: string[]): Promise<number> {
  const removal = await planRemoval(
    folder,
    files.map((file) => join(folder, file)),
  );
  await removeModel(folder, removal);
  return removal.bytes;
}

/** All that is left below the root. */
async function left(): Promise<string[]> {
  return (await readdir(root, { recursive: true })).sort();
}

describe('removing a model', () => {
  it('removes its files and tells their bytes', async () => {
    await put('models/a-00001-of-00002.gguf', 'models/a-00002-of-00002.gguf', 'models/b.gguf');
    expect(await remove('a-00001-of-00002.gguf', 'a-00002-of-00002.gguf')).toBe(20);
    expect(await left()).toEqual(['models', 'models/b.gguf']);
  });

  it('removes the folders that it leaves empty, but for the models folder', async () => {
    await put('models/org/m/x.gguf', 'models/org/m/model.json');
    await remove('org/m/x.gguf', 'org/m/model.json');
    expect(await left()).toEqual(['models']);
  });

  it('leaves folders that hold anything else', async () => {
    await put('models/org/m/x.gguf', 'models/org/notes.txt');
    await remove('org/m/x.gguf');
    expect(await left()).toEqual(['models', 'models/org', 'models/org/notes.txt']);
  });

  it('takes away a link and not what it leads to', async () => {
    await put('elsewhere/a.gguf');
    await mkdir(folder);
    await symlink(join(root, 'elsewhere/a.gguf'), join(folder, 'a.gguf'));
    await remove('a.gguf');
    expect(await left()).toEqual(['elsewhere', 'elsewhere/a.gguf', 'models']);
  });

  it('touches nothing in a folder that lies elsewhere', async () => {
    await put('elsewhere/a.gguf', 'models/b.gguf');
    await symlink(join(root, 'elsewhere'), join(folder, 'linked'));
    await expect(remove('b.gguf', 'linked/a.gguf')).rejects.toThrow(/outside of the models folder/);
    await expect(remove('b.gguf', '../elsewhere/a.gguf')).rejects.toThrow(/outside of the models folder/);
    expect(await left()).toEqual(expect.arrayContaining(['elsewhere/a.gguf', 'models/b.gguf']));
  });
});
