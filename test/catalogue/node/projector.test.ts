import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toModel } from '../../../src/api/models/model-object.ts';
import { uint32 } from '../../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, projectorEntries, readLines, writeSparse } from './fixtures.ts';

const WIDTH = 128;

describe('a projector', () => {
  it('makes the model beside it a vision model', async () => {
    const folder = await makeFolder();
    const size = await writeSparse(join(folder, 'x', 'x.gguf'), modelEntries());
    const projector = await writeSparse(join(folder, 'x', 'mmproj-x.gguf'), projectorEntries(WIDTH));
    const { catalogue, ids } = await readLines(folder);
    expect(ids).toEqual(['x']);
    expect(catalogue.find('x')).toMatchObject({
      settings: { vision_model: true, mmproj: 'mmproj-x.gguf' },
      sources: [{ filename: 'x.gguf' }, { filename: 'mmproj-x.gguf' }],
      metadata: { tags: expect.arrayContaining(['vision']), size: size + projector },
    });
    expect(catalogue.sourceOf('x')).toMatchObject({
      projector: join(folder, 'x', 'mmproj-x.gguf'),
      shape: { fileBytes: size + projector },
    });
  });

  it('for audio makes the model beside it an audio model', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'x.gguf'), modelEntries());
    await writeSparse(join(folder, 'ear.gguf'), projectorEntries(WIDTH, 'audio'));
    const { catalogue, ids } = await readLines(folder);
    const card = catalogue.find('x');
    expect(ids).toEqual(['x']);
    expect(card?.settings).toMatchObject({ mmproj: 'ear.gguf' });
    expect(card?.settings.vision_model).toBeUndefined();
    expect(card && toModel(card, undefined).capabilities).toMatchObject({ vision: false, audio: true });
  });

  it('belongs to the models of its width if several are beside it', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await writeSparse(join(folder, 'b.gguf'), modelEntries());
    await writeSparse(join(folder, 'wide.gguf'), modelEntries({ 'llama.embedding_length': uint32(256) }));
    await writeSparse(join(folder, 'mmproj.gguf'), projectorEntries(WIDTH));
    const { catalogue } = await readLines(folder);
    expect(catalogue.list().map(({ settings }) => settings.mmproj)).toEqual(['mmproj.gguf', 'mmproj.gguf', undefined]);
  });

  it('is chosen by its name, then for 16-bit floats', async () => {
    const folder = await makeFolder();
    for (const name of ['owl-Q4_K_M', 'cat-Q4_K_M']) await writeSparse(join(folder, `${name}.gguf`), modelEntries());
    for (const name of ['mmproj-cat-bf16', 'mmproj-owl-bf16', 'mmproj-owl-f16']) {
      const fileType = { 'general.file_type': uint32(name.endsWith('bf16') ? 32 : 1) };
      await writeSparse(join(folder, `${name}.gguf`), projectorEntries(WIDTH, 'vision', fileType));
    }
    const { catalogue } = await readLines(folder);
    expect(catalogue.find('owl-Q4_K_M')?.settings.mmproj).toBe('mmproj-owl-f16.gguf');
    expect(catalogue.find('cat-Q4_K_M')?.settings.mmproj).toBe('mmproj-cat-bf16.gguf');
  });

  it('is the one that a model.json names', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    for (const name of ['mmproj-F16', 'mmproj-F32'])
      await writeSparse(join(folder, `${name}.gguf`), projectorEntries(WIDTH));
    await writeFile(join(folder, 'model.json'), '{"settings": {"mmproj": "mmproj-F32.gguf"}}');
    expect((await readLines(folder)).catalogue.find('a')?.settings.mmproj).toBe('mmproj-F32.gguf');
  });

  it('is the one that fits if a model.json names one that does not exist, and this is logged', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await writeSparse(join(folder, 'mmproj.gguf'), projectorEntries(WIDTH));
    await writeFile(join(folder, 'model.json'), '{"settings": {"mmproj": "../mmproj.gguf"}}');
    const { catalogue, lines } = await readLines(folder);
    expect(catalogue.find('a')?.settings.mmproj).toBe('mmproj.gguf');
    expect(lines).toEqual([
      expect.stringContaining('settings.mmproj must be the name of a projector beside the model'),
    ]);
  });

  it('is not listed as a model, whether it can be read or not', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'clip.gguf'), projectorEntries(WIDTH));
    await writeFile(join(folder, 'mmproj-broken.gguf'), 'no GGUF at all, nor anything else');
    const { ids, lines } = await readLines(folder);
    expect(ids).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('mmproj-broken.gguf')]);
  });
});
