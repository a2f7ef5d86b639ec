import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Eagle3DraftOptions,
  type Eagle3TargetOptions,
  writeEagle3Draft,
  writeEagle3Target,
} from '../../kit/models/draft-heads/eagle3-model.ts';
import { writeMtpModel } from '../../kit/models/draft-heads/mtp-model.ts';
import { int32s, text, texts, uint32 } from '../../kit/models/gguf-writer.ts';
import { makeFolder, readLines } from './fixtures.ts';

const NAMED = JSON.stringify({ settings: { draft_model: 'draft.gguf' } });

/** Makes a folder with a model and an EAGLE-3 draft model, which its model.json names. */
async function makePair(draft: Eagle3DraftOptions = {}, target: Eagle3TargetOptions = {}): Promise<string> {
  const folder = await makeFolder();
  writeEagle3Target(join(folder, 'model.gguf'), target);
  writeEagle3Draft(join(folder, 'draft.gguf'), draft);
  await writeFile(join(folder, 'model.model.json'), NAMED);
  return folder;
}

describe('an EAGLE-3 draft model', () => {
  it('guesses for the model whose model.json names it, and is no model of its own', async () => {
    const folder = await makePair();
    const { catalogue, ids, lines } = await readLines(folder);
    expect([ids, lines]).toEqual([['model'], []]);
    const source = catalogue.sourceOf('model');
    expect(source).toMatchObject({
      eagle3: { file: join(folder, 'draft.gguf'), borrows: false },
      shape: { layers: 12, eagle3: { layers: 1, readLayers: 3, borrows: false, cachedPerToken: 32 } },
    });
    expect(source).not.toHaveProperty('draft');
    expect(source?.shape).not.toHaveProperty('draft');
    expect(catalogue.find('model')?.settings).toMatchObject({ draft_model: 'draft.gguf' });
  });

  it.each(['token_embd.weight', 'output.weight'])('borrows weights of the model if it lacks %s', async (lacks) => {
    const { catalogue, lines } = await readLines(await makePair({ lacks }));
    expect(lines).toEqual([]);
    expect(catalogue.sourceOf('model')).toMatchObject({
      eagle3: { borrows: true },
      shape: { eagle3: { borrows: true } },
    });
  });

  it('guesses in place of an MTP layer only if it can', async () => {
    const folder = await makePair();
    writeMtpModel(join(folder, 'model.gguf'), { layers: 2 });
    const { catalogue, lines } = await readLines(folder);
    expect(lines).toEqual([
      expect.stringMatching(/draft model not used.*no inputs of layers of the architecture glm4moe/),
    ]);
    expect(catalogue.sourceOf('model')).toMatchObject({ mtp: {}, shape: { mtpCachedPerToken: 32 } });
  });

  it.each<[string, Eagle3DraftOptions, Eagle3TargetOptions, RegExp]>([
    ['more layers', { entries: { 'eagle3.block_count': uint32(2) } }, {}, /not of one layer that reads 3 layers/],
    ['other numbers of layers', { targetLayers: [1, 2] }, {}, /not of one layer that reads 3 layers/],
    ['layers that the model lacks', {}, { layers: 8 }, /reads the layers 0, 6, 11, and the model has 8/],
    ["the last layer's output, which llama.cpp does not give", { targetLayers: [0, 1, 12] }, {}, /the model has 12/],
    ['a model of another width', { targetWidth: 128 }, {}, /of the width 128, and the width of this one is 256/],
    [
      'another vocabulary',
      { entries: { 'tokenizer.ggml.tokens': texts(['a', 'b']) } },
      {},
      /vocabulary has 2 tokens, and that of the model \d+/,
    ],
    [
      'borrowed weights of another width',
      { lacks: 'token_embd.weight', entries: { 'eagle3.embedding_length': uint32(128) } },
      {},
      /lacks weights, and the model's are of another width/,
    ],
    [
      'a vocabulary of its own without an output layer',
      { lacks: 'output.weight', vocabulary: [5, 6, 7] },
      {},
      /a vocabulary of its own, and no output layer/,
    ],
    ['another architecture', {}, { entries: { 'general.architecture': text('gemma2') } }, /the architecture gemma2/],
  ])('that is for %s is not used, and the log says why', async (_, draft, target, reason) => {
    const { catalogue, ids, lines } = await readLines(await makePair(draft, target));
    expect(ids).toEqual(['model']);
    expect(lines).toEqual([expect.stringMatching(/draft model not used/)]);
    expect(lines).toEqual([expect.stringMatching(reason)]);
    expect(catalogue.sourceOf('model')).not.toHaveProperty('eagle3');
    expect(catalogue.find('model')?.settings).not.toHaveProperty('draft_model');
  });

  it('may read the output of the last layer where llama.cpp gives it', async () => {
    const entries = {
      'general.architecture': text('gpt-oss'),
      'gpt-oss.block_count': uint32(12),
      'gpt-oss.embedding_length': uint32(256),
    };
    const { lines } = await readLines(await makePair({ targetLayers: [0, 1, 12] }, { entries }));
    expect(lines).toEqual([]);
  });

  it('that no model names is not used, and the log says so', async () => {
    const folder = await makeFolder();
    writeEagle3Draft(join(folder, 'draft.gguf'), { entries: { 'eagle3.target_layers': int32s([0, 1, 2]) } });
    const { ids, lines } = await readLines(folder);
    expect(ids).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/draft model not used.*no model beside it names it/)]);
  });
});
