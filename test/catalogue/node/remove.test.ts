import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planRemoval, removeModelFiles } from '../../../src/catalogue/node/remove.ts';
import type { ModelSource } from '../../../src/engine/engine.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'paddock-remove-')));
  folder = join(root, 'models');
});
afterEach(() => rm(root, { recursive: true }));

/** Writes files of 10 bytes each below the root. */
async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '0123456789');
  }
}

/** A model that consists of these files of the models folder. */
function model(files: string[], projector?: string): ModelSource {
  const shape = {
    fileBytes: 10,
    layers: 1,
    cachedPerToken: 1,
    embeddingLength: 1,
    feedForwardLength: 1,
    vocabularySize: 1,
    trainedContextLength: 1,
    poolsLast: false,
  };
  const paths = files.map((file) => join(folder, file));
  return { files: paths, kind: 'chat', shape, ...(projector !== undefined && { projector: join(folder, projector) }) };
}

async function remove(source: ModelSource, others: ModelSource[] = []): Promise<number> {
  const removal = await planRemoval(folder, source, others);
  await removeModelFiles(folder, removal);
  return removal.bytes;
}

/** Lists all files that are left below the root. */
async function left(): Promise<string[]> {
  return (await readdir(root, { recursive: true })).sort();
}

describe('removing a model', () => {
  it('removes its file and returns the freed bytes', async () => {
    await put('models/a.gguf', 'models/b.gguf');
    expect(await remove(model(['a.gguf']))).toBe(10);
    expect(await left()).toEqual(['models', 'models/b.gguf']);
  });

  it('removes all parts, the projector and the model.json, then the folders that have become empty', async () => {
    const parts = ['org/m/x-00001-of-00002.gguf', 'org/m/x-00002-of-00002.gguf'];
    await put(...[...parts, 'org/m/mmproj-x.gguf', 'org/m/model.json'].map((file) => `models/${file}`));
    expect(await remove(model(parts, 'org/m/mmproj-x.gguf'))).toBe(40);
    expect(await left()).toEqual(['models']);
  });

  it('removes the model.json with its name, split or not', async () => {
    await put('models/x-00001-of-00001.gguf', 'models/x.model.json', 'models/y.gguf', 'models/y.model.json');
    await remove(model(['x-00001-of-00001.gguf']));
    expect(await left()).toEqual(['models', 'models/y.gguf', 'models/y.model.json']);
  });

  it('leaves a projector that another model uses', async () => {
    await put('models/m/a.gguf', 'models/m/b.gguf', 'models/m/mmproj.gguf');
    await remove(model(['m/a.gguf'], 'm/mmproj.gguf'), [model(['m/b.gguf'], 'm/mmproj.gguf')]);
    expect(await left()).toEqual(['models', 'models/m', 'models/m/b.gguf', 'models/m/mmproj.gguf']);
  });

  it('removes projectors that no remaining model uses', async () => {
    await put('models/m/a.gguf', 'models/m/mmproj-F16.gguf', 'models/m/mmproj-BF16.gguf', 'models/m/model.json');
    await remove(model(['m/a.gguf'], 'm/mmproj-F16.gguf'));
    expect(await left()).toEqual(['models']);
  });

  it('keeps a model.json beside other models, and files that belong to others', async () => {
    await put('models/m/a.gguf', 'models/m/b.gguf', 'models/m/model.json', 'models/n/c.gguf', 'models/n/notes.txt');
    await remove(model(['m/a.gguf']));
    await remove(model(['n/c.gguf']));
    expect(await left()).toEqual(
      ['models', 'models/m', 'models/m/b.gguf', 'models/m/model.json', 'models/n', 'models/n/notes.txt'].sort(),
    );
  });

  it('removes a link but not its target', async () => {
    await put('elsewhere/a.gguf');
    await mkdir(folder);
    await symlink(join(root, 'elsewhere/a.gguf'), join(folder, 'a.gguf'));
    await remove(model(['a.gguf']));
    expect(await left()).toEqual(['elsewhere', 'elsewhere/a.gguf', 'models']);
  });

  it('touches nothing in a folder outside the models folder', async () => {
    await put('elsewhere/a.gguf');
    await mkdir(folder);
    await symlink(join(root, 'elsewhere'), join(folder, 'linked'));
    await expect(remove(model(['linked/a.gguf']))).rejects.toThrow(/outside of the models folder/);
    await expect(remove(model(['../elsewhere/a.gguf']))).rejects.toThrow(/outside of the models folder/);
    expect(await left()).toContain('elsewhere/a.gguf');
  });
});
