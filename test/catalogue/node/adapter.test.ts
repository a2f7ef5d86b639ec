import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toModel } from '../../../src/api/models/model-object.ts';
import { stampOf } from '../../../src/engine/node/stamp.ts';
import { type GgufEntries, text, uint32 } from '../../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, readLines, writeSparse } from './fixtures.ts';

const adapterEntries = (more: GgufEntries = {}): GgufEntries => ({
  'general.architecture': text('llama'),
  'general.type': text('adapter'),
  'adapter.type': text('lora'),
  ...more,
});

/** Writes a model, an adapter beside it, and a model.json that names these adapters. */
async function withAdapter(
  lora: unknown,
  adapter: GgufEntries = adapterEntries(),
  model: GgufEntries = modelEntries(),
) {
  const folder = await makeFolder();
  const modelBytes = await writeSparse(join(folder, 'a.gguf'), model);
  const adapterBytes = await writeSparse(join(folder, 'style.gguf'), adapter);
  await writeFile(join(folder, 'model.json'), JSON.stringify({ settings: { lora } }));
  return { folder, modelBytes, adapterBytes, ...(await readLines(folder)) };
}

describe('a LoRA adapter', () => {
  it('is no model, and belongs to the model whose model.json names it', async () => {
    const { catalogue, ids, lines, folder, modelBytes, adapterBytes } = await withAdapter([
      { id: 'style', scale: 0.5 },
    ]);
    expect([ids, lines]).toEqual([['a'], []]);
    const source = catalogue.sourceOf('a');
    expect(source).toMatchObject({
      files: [join(folder, 'a.gguf')],
      adapters: [{ name: 'style', file: join(folder, 'style.gguf') }],
      shape: { fileBytes: modelBytes + adapterBytes },
    });
    const card = catalogue.find('a');
    expect(card && toModel(card, undefined)).toMatchObject({
      settings: { lora: [{ id: 'style', scale: 0.5 }] },
      meta: { size: modelBytes },
    });
    expect(source && stampOf(source)).not.toBe(source && stampOf({ files: source.files }));
  });

  it('has a scale of 1 by default', async () => {
    const { catalogue } = await withAdapter([{ id: 'style' }]);
    expect(catalogue.find('a')?.settings.lora).toEqual([{ id: 'style', scale: 1 }]);
  });

  it('that no model.json names is not used, and this is logged', async () => {
    const { catalogue, ids, lines } = await withAdapter([]);
    expect(ids).toEqual(['a']);
    expect(catalogue.sourceOf('a')).not.toHaveProperty('adapters');
    expect(catalogue.find('a')?.settings).not.toHaveProperty('lora');
    expect(lines).toEqual([expect.stringMatching(/LoRA adapter not used.*style\.gguf.*settings\.lora/)]);
  });

  it.each<[string, string, GgufEntries, GgufEntries?]>([
    ['of another architecture', 'for models of the architecture gemma', { 'general.architecture': text('gemma') }],
    ['of another type', 'an adapter of the type ia3, not lora', { 'adapter.type': text('ia3') }],
    ['that begins at certain words', 'an activated LoRA (aLoRA)', { 'adapter.alora.invocation_tokens': uint32(1) }],
    ['of a model that writes no text', 'only models that write text', {}, { 'llama.pooling_type': uint32(1) }],
  ])('%s is not used, and the log says why', async (_, reason, adapter, model = {}) => {
    const { catalogue, lines } = await withAdapter([{ id: 'style' }], adapterEntries(adapter), modelEntries(model));
    expect(catalogue.sourceOf('a')).not.toHaveProperty('adapters');
    expect(lines[0]).toContain('model.json has fields without effect');
    expect(lines[0]).toContain(`settings.lora[0]: `);
    expect(lines[0]).toContain(reason);
  });

  it('that is not there is named in the log, and the others are used', async () => {
    const { catalogue, lines } = await withAdapter([{ id: 'nowhere' }, { id: 'style' }]);
    expect(catalogue.find('a')?.settings.lora).toEqual([{ id: 'style', scale: 1 }]);
    expect(lines).toEqual([
      expect.stringContaining('settings.lora[0]: there is no LoRA adapter nowhere.gguf beside the model'),
    ]);
  });
});
