import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, readLines, writeSparse } from './node/fixtures.ts';

/** Reads the catalogue of one model, `a`, with this model.json beside it. */
async function withJson(json: unknown, name = 'model.json') {
  const folder = await makeFolder();
  await writeSparse(join(folder, 'a.gguf'), modelEntries({ 'tokenizer.chat_template': text('{{ messages }}') }));
  await writeFile(join(folder, name), typeof json === 'string' ? json : JSON.stringify(json));
  const read = await readLines(folder);
  return { ...read, card: read.catalogue.list()[0], source: read.catalogue.sourceOf(String(read.ids[0])) };
}

describe('a model.json', () => {
  it('overrides the fields of the Model object, nested fields one by one', async () => {
    const overrides = {
      id: 'mine',
      created: 1_700_000_000,
      owned_by: 'me',
      aliases: ['gpt-4o-mini'],
      profiles: { strict: { settings: { system_prompt: 'Be strict.' }, parameters: { temperature: 0 } } },
      name: 'Mine',
      version: '3',
      description: 'My own',
      sources: [{ filename: 'a.gguf', url: 'https://models.example/a.gguf', sha256: '0'.repeat(64), size: 5 }],
      settings: { system_prompt: 'Be brief.', temperature: 0.1 },
      parameters: { top_k: 5, stop: ['END'], stream: true },
      metadata: { cover: 'https://models.example/a.png' },
    };
    const { card, lines } = await withJson(overrides);
    expect(lines).toEqual([]);
    expect(card).toMatchObject(overrides);
    expect(card?.settings).toMatchObject({ embedding: false, prompt_template: '{{ messages }}' });
    expect(card?.metadata).toMatchObject({ author: '', tags: expect.arrayContaining(['llama']) });
  });

  it('sets how the model is loaded', async () => {
    const { source } = await withJson({ settings: { ctx_len: 512, n_parallel: 2, cpu_threads: 3, ngl: 7 } });
    expect(source?.loading).toEqual({ contextLength: 512, slots: 2, threads: 3, gpuLayers: 7 });
    expect((await withJson({})).source?.loading).toEqual({});
  });

  it('replaces the chat template of the GGUF', async () => {
    const { card, source } = await withJson({ settings: { prompt_template: 'Hi {{ messages[0].content }}' } });
    expect(source?.chatTemplate).toBe('Hi {{ messages[0].content }}');
    expect(card?.settings.prompt_template).toBe('Hi {{ messages[0].content }}');
    expect((await withJson({})).source?.chatTemplate).toBeUndefined();
  });

  it.each<[unknown, string]>([
    ['{', 'must be JSON'],
    ['[]', 'The file must be a JSON object'],
    ['null', 'The file must be an object'],
    [{ id: '' }, 'id must not be empty'],
    [{ id: 'a b' }, 'id must be without spaces'],
    ...['../../evil', '/etc/passwd', 'a/../b', 'a//b', 'a/', '..', '.hidden', 'a\\b', 'x'.repeat(401)].map(
      (id): [unknown, string] => [{ id }, 'id must be a name of at most 400 characters without spaces'],
    ),
    [{ created: 'now' }, 'created must be an integer of at least 0'],
    [{ settings: 5 }, 'settings must be an object'],
    [{ settings: { lora: 'style' } }, 'settings.lora must be an array'],
    [{ settings: { lora: [{ scale: 1 }] } }, 'settings.lora[0].id is required'],
    [{ settings: { lora: [{ id: 'a', scale: 101 }] } }, 'settings.lora[0].scale must be a number between -100 and 100'],
    [{ settings: { lora: [{ id: 'a' }, { id: 'a' }] } }, 'settings.lora must name each adapter once'],
    [{ settings: { ctx_len: 1 } }, 'settings.ctx_len must be an integer between 8 and 16777216'],
    [{ settings: { prompt_template: '{% if' } }, 'settings.prompt_template must be a Jinja template'],
    [{ settings: { prompt_template: 'User: {prompt}' } }, 'settings.prompt_template must be a Jinja template'],
    [{ parameters: { temperature: 3 } }, 'parameters.temperature must be a number between 0 and 2'],
    [{ parameters: { stop: ['a', 'b', 'c', 'd', 'e'] } }, 'parameters.stop must have at most 4 items'],
    [{ parameters: { max_tokens: null } }, 'parameters.max_tokens must be an integer of at least 1'],
    [{ profiles: [] }, 'profiles must be an object'],
    [{ profiles: { '../a': {} } }, 'profiles must have names, and each must be a name'],
    [{ profiles: { a: { settings: { ctx_len: 'x', temperature: 3 } } } }, 'profiles.a.settings.temperature must be'],
    [{ metadata: { tags: [1] } }, 'metadata.tags[0] must be a string'],
    [{ sources: [{ filename: 'a.gguf' }] }, 'sources[0].url is required'],
    [{ sources: [{ filename: 'a', url: '', sha256: 'x' }] }, 'sources[0].sha256 must be 64 hexadecimal digits'],
  ])(
    'that is wrong (%j) is logged with its file and field, and the model is served without it',
    async (json, reason) => {
      const { card, lines } = await withJson(json);
      expect(card).toMatchObject({ id: 'a', name: 'A model' });
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/model\.json skipped .*"file":"[^"]+model\.json"/);
      expect(lines[0]).toContain(reason);
    },
  );

  it('may contain fields that can not be set: these are logged, and the others count', async () => {
    const json = {
      name: 'Mine',
      engine: 'x',
      settings: { embedding: true, ctx_len: 64, typo: 1 },
      metadata: { size: 1 },
    };
    const { card, lines } = await withJson(json);
    expect(card).toMatchObject({ name: 'Mine', settings: { embedding: false, ctx_len: 64 } });
    expect(lines).toEqual([
      expect.stringContaining('can not be set: engine, settings.embedding, settings.typo, metadata.size'),
    ]);
  });

  it('of more than 1 MiB is not read', async () => {
    const { lines } = await withJson(`${' '.repeat(1024 * 1024)}{}`);
    expect(lines).toEqual([expect.stringMatching(/model\.json skipped .*1048578 bytes/)]);
  });
});

describe('the file of a model.json', () => {
  it('may have the name of the model, and then counts more than the one of the folder', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await writeFile(join(folder, 'a.model.json'), '{"name": "named"}');
    await writeFile(join(folder, 'model.json'), '{"name": "of the folder"}');
    expect((await readLines(folder)).catalogue.find('a')?.name).toBe('named');
  });

  it('of a split model has its name without the part number', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'b-00001-of-00001.gguf'), modelEntries());
    await writeFile(join(folder, 'b.model.json'), '{"name": "named"}');
    expect((await readLines(folder)).catalogue.find('b')?.name).toBe('named');
  });

  it('beside several models must be named after one of them, else it is logged and ignored', async () => {
    const folder = await makeFolder();
    for (const name of ['a', 'b']) await writeSparse(join(folder, `${name}.gguf`), modelEntries());
    await writeFile(join(folder, 'model.json'), '{"name": "whose?"}');
    const { catalogue, lines } = await readLines(folder);
    expect(catalogue.list().map(({ name }) => name)).toEqual(['A model', 'A model']);
    expect(lines).toEqual([expect.stringMatching(/model\.json skipped .*beside several models/)]);
  });

  it('whose name fits no model is logged', async () => {
    const { lines } = await withJson('{}', 'b.model.json');
    expect(lines).toEqual([expect.stringContaining('there is no b.gguf beside it')]);
  });
});
