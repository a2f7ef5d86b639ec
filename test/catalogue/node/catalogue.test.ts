import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { readFileCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import { silentLog } from '../../kit/log.ts';
import { int32s, text, texts, uint32 } from '../../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, readLines, tensor, writeSparse } from './fixtures.ts';

describe('the catalogue', () => {
  it('describes every GGUF of the folder and its subfolders from its metadata', async () => {
    const catalogue = await readFileCatalogue([inject('modelsFolder')], silentLog);
    expect(catalogue.list().map(({ id }) => id)).toEqual([
      'embed/mini',
      'rerank/mini',
      'shelf/brief',
      'tiny',
      'tiny/audio/ear',
      'tiny/vision/eye',
    ]);
    const card = catalogue.find('tiny');
    expect(card).toMatchObject({
      name: 'Tiny test model',
      format: 'gguf',
      trainedContextLength: 1024,
      architecture: 'qwen2',
      quantization: 'F32',
      settings: { embedding: false },
      metadata: { tags: ['qwen2', 'F32', '692K', 'text'] },
    });
    expect(card?.parameterCount).toBeGreaterThan(100_000);
    expect(card?.metadata.size).toBeGreaterThan(1_000_000);
  });

  it('returns the files and the kind of a model', async () => {
    const catalogue = await readFileCatalogue([inject('modelsFolder')], silentLog);
    expect(catalogue.sourceOf('tiny')).toMatchObject({
      kind: 'chat',
      files: [join(inject('modelsFolder'), 'tiny.gguf')],
    });
    expect(catalogue.sourceOf('none')).toBeUndefined();
    expect(catalogue.sourceOf('embed/mini')?.kind).toBe('embedding');
    expect(catalogue.sourceOf('rerank/mini')?.kind).toBe('rerank');
    const makeEmbeddings = catalogue.list().filter(({ settings }) => settings.embedding);
    expect(makeEmbeddings.map(({ id }) => id)).toEqual(['embed/mini']);
  });

  it('copies the fields of the header into the Model object', async () => {
    const folder = await makeFolder();
    const entries = modelEntries({
      'general.author': text('Ada'),
      'general.organization': text('Analytical Engines'),
      'general.description': text('Weaves patterns'),
      'general.version': text('2.1'),
      'general.size_label': text('8x7B'),
      'general.file_type': uint32(15),
      'general.source.url': text('https://models.example/a'),
      'general.languages': texts(['en', 'fr']),
      'general.tags': texts(['text', 'looms']),
    });
    const size = await writeSparse(join(folder, 'a.gguf'), entries);
    const { catalogue } = await readLines(folder);
    expect(catalogue.find('a')).toMatchObject({
      owned_by: 'Analytical Engines',
      name: 'A model',
      version: '2.1',
      description: 'Weaves patterns',
      sources: [{ filename: 'a.gguf', url: 'https://models.example/a' }],
      metadata: { author: 'Ada', tags: ['llama', 'Q4_K_M', '8x7B', 'text', 'en', 'fr', 'looms'], size },
    });
  });

  it('counts the cached numbers of a token, for each layer if the layers differ', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'alike.gguf'), modelEntries({ 'llama.attention.head_count_kv': uint32(2) }));
    await writeSparse(
      join(folder, 'each.gguf'),
      modelEntries({ 'llama.attention.head_count_kv': int32s([8, 0, 0, 1]) }),
    );
    const { catalogue } = await readLines(folder);
    // 4 layers of 2 heads, and 9 heads in all. Each head has a key and a value of 128 / 8 numbers.
    expect(catalogue.sourceOf('alike')?.shape.cachedPerToken).toBe(4 * 2 * 32);
    expect(catalogue.sourceOf('each')?.shape.cachedPerToken).toBe(9 * 32);
  });

  it('counts an encoder as an embedding model even if its header names no pooling', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries({ 'general.architecture': text('nomic-bert') }));
    expect((await readLines(folder)).catalogue.sourceOf('a')?.kind).toBe('embedding');
  });

  it('returns the same source object until the files change', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    const { catalogue } = await readLines(folder);
    const source = catalogue.sourceOf('a');
    await catalogue.refresh();
    expect(catalogue.sourceOf('a')).toBe(source);
    await writeSparse(join(folder, 'a.gguf'), modelEntries({ 'llama.block_count': uint32(5) }));
    await catalogue.refresh();
    expect(catalogue.sourceOf('a')).not.toBe(source);
    expect(catalogue.sourceOf('a')?.shape.layers).toBe(5);
  });

  it('contains after a refresh every file that existed at the call, even if another refresh was running', async () => {
    const folder = await makeFolder();
    const { catalogue } = await readLines(folder);
    const first = catalogue.refresh();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await catalogue.refresh();
    expect(catalogue.find('a')).toBeDefined();
    await first;
  });
});

describe('the files of a model', () => {
  it('are all parts of a split one, with the parameters of all', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'b-00002-of-00002.gguf'), {}, [tensor('last', [32])]);
    await writeSparse(join(folder, 'b-00001-of-00002.gguf'), modelEntries(), [tensor('first', [64])]);
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    const { catalogue, ids } = await readLines(folder);
    expect(ids).toEqual(['a', 'b']);
    expect(catalogue.find('b')?.parameterCount).toBe(96);
    expect(catalogue.sourceOf('b')?.files).toEqual(
      ['b-00001-of-00002.gguf', 'b-00002-of-00002.gguf'].map((name) => join(folder, name)),
    );
  });

  it('are refused if a part is missing', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'b-00001-of-00003.gguf'), modelEntries());
    const { ids, lines } = await readLines(folder);
    expect(ids).toEqual([]);
    expect(lines.join()).toContain('of its 3 parts these are missing: 2, 3');
  });

  it.each<[string, Parameters<typeof modelEntries>[0], RegExp]>([
    ['an adapter', { 'general.type': text('adapter') }, /LoRA adapter not used.*settings\.lora/],
    ['a file of no architecture', { 'general.architecture': text('') }, /names no architecture/],
  ])('are not %s', async (_, entries, reason) => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries(entries));
    const { ids, lines } = await readLines(folder);
    expect(ids).toEqual([]);
    expect(lines.join()).toMatch(reason);
  });

  it('are not a mere vocabulary', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries(), []);
    const { ids, lines } = await readLines(folder);
    expect(ids).toEqual([]);
    expect(lines.join()).toContain('has no tensors');
  });

  it('that are broken are logged once, and the others are served', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'broken.gguf'), 'this is no GGUF, but a text');
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    const { catalogue, ids, lines } = await readLines(folder);
    expect(ids).toEqual(['a']);
    expect(lines).toEqual([expect.stringMatching(/model skipped .*broken\.gguf.*the file is no GGUF/)]);
    await catalogue.refresh();
    expect(lines).toHaveLength(1);
  });

  it('that are incomplete are logged with both sizes', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'a.gguf'), 'GGUF');
    const { ids, lines } = await readLines(folder);
    expect(ids).toEqual([]);
    expect(lines.join()).toMatch(/model skipped .*not whole.*"size":4,"expected":8/);
  });

  it('are ignored if their name or their folder begins with a dot', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, '.a.gguf'), modelEntries());
    await writeSparse(join(folder, '.cache', 'b.gguf'), modelEntries());
    expect(await readLines(folder)).toMatchObject({ ids: [], lines: [] });
  });

  it('may be links, as may folders; circular links do no harm', async () => {
    const folder = await makeFolder();
    const elsewhere = await makeFolder();
    await writeSparse(join(elsewhere, 'b.gguf'), modelEntries());
    await symlink(join(elsewhere, 'b.gguf'), join(folder, 'a.gguf'));
    await symlink(join(elsewhere, 'gone.gguf'), join(folder, 'c.gguf'));
    await symlink(elsewhere, join(folder, 'there'));
    await symlink(folder, join(folder, 'there', 'again'));
    expect((await readLines(folder)).ids).toEqual(['a', 'there/b']);
  });
});

describe('the id of a model', () => {
  it('is its path, or its folder if that has its name and holds no other model', async () => {
    const folder = await makeFolder();
    for (const path of ['a', 'b/b', 'c/d', 'e/f/f', 'g/g', 'g/h']) {
      await writeSparse(join(folder, `${path}.gguf`), modelEntries());
    }
    expect((await readLines(folder)).ids).toEqual(['a', 'b', 'c/d', 'e/f', 'g/g', 'g/h']);
  });

  it('is the one in its model.json', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'org', 'repo', 'Q4_K_M', 'file.gguf'), modelEntries());
    await writeFile(join(folder, 'org', 'repo', 'Q4_K_M', 'model.json'), '{"id": "org/repo:Q4_K_M"}');
    expect((await readLines(folder)).ids).toEqual(['org/repo:Q4_K_M']);
  });

  it('belongs to one model: others with the same id are logged and left out', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await writeSparse(join(folder, 'a', 'a.gguf'), modelEntries());
    const { catalogue, ids, lines } = await readLines(folder);
    expect(ids).toEqual(['a']);
    expect(catalogue.sourceOf('a')?.files).toEqual([join(folder, 'a.gguf')]);
    expect(lines).toEqual([expect.stringMatching(/model skipped .*its id 'a' is that of/)]);
  });
});

describe('several folders', () => {
  it('are listed in their order, the models of each sorted', async () => {
    const [first, second] = [await makeFolder(), await makeFolder()];
    await writeSparse(join(first, 'z.gguf'), modelEntries());
    await writeSparse(join(first, 'b.gguf'), modelEntries());
    await writeSparse(join(second, 'a.gguf'), modelEntries());
    expect((await readLines(first, second)).ids).toEqual(['b', 'z', 'a']);
  });

  it('serve the model of the first one if both have the same id', async () => {
    const [first, second] = [await makeFolder(), await makeFolder()];
    for (const folder of [first, second]) await writeSparse(join(folder, 'pico.gguf'), modelEntries());
    const { catalogue, ids } = await readLines(first, second);
    expect(ids).toEqual(['pico']);
    expect(catalogue.sourceOf('pico')?.files).toEqual([join(first, 'pico.gguf')]);
  });

  it('need not exist', async () => {
    const folder = await makeFolder();
    expect(await readLines(join(folder, 'none'))).toMatchObject({ ids: [], lines: [] });
  });

  it('that can not be read are logged', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'models'));
    await writeSparse(join(folder, 'models', 'a.gguf'), modelEntries());
    const { ids, lines } = await readLines(join(folder, 'file'), join(folder, 'models'));
    expect(ids).toEqual(['a']);
    expect(lines.join()).toContain('the models folder can not be read');
  });
});
