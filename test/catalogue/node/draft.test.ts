import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toModel } from '../../../src/api/models/model-object.ts';
import { text, uint32 } from '../../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, readLines, writeSparse } from './fixtures.ts';

const name = (draft: string) => JSON.stringify({ settings: { draft_model: draft } });

describe('a draft model', () => {
  it('is the model beside it that a model.json names', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'large.gguf'), modelEntries());
    const small = await writeSparse(join(folder, 'small.gguf'), modelEntries({ 'llama.block_count': uint32(1) }));
    await writeFile(join(folder, 'large.model.json'), name('small.gguf'));
    const { catalogue, ids, lines } = await readLines(folder);
    expect([ids, lines]).toEqual([['large', 'small'], []]);
    expect(catalogue.sourceOf('large')).toMatchObject({
      draft: join(folder, 'small.gguf'),
      shape: { layers: 4, draft: { layers: 1, fileBytes: small } },
    });
    const card = catalogue.find('large');
    expect(card && toModel(card, undefined).settings).toMatchObject({ draft_model: 'small.gguf' });
    expect(catalogue.sourceOf('small')).not.toHaveProperty('draft');
  });

  it.each([
    ['is not there', 'nowhere.gguf'],
    ['lies elsewhere', '../small.gguf'],
    ['is the model itself', 'large.gguf'],
    ['writes no text', 'vectors.gguf'],
  ])('that %s is not used, and this is logged', async (_, named) => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'large.gguf'), modelEntries());
    await writeSparse(join(folder, 'vectors.gguf'), modelEntries({ 'general.architecture': text('bert') }));
    await writeFile(join(folder, 'large.model.json'), name(named));
    const { catalogue, lines } = await readLines(folder);
    expect(catalogue.sourceOf('large')).not.toHaveProperty('draft');
    expect(lines).toEqual([
      expect.stringContaining('settings.draft_model must be the name of a chat model of one file beside the model'),
    ]);
  });
});
