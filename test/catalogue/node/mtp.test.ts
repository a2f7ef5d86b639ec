import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeMtpModel } from '../../kit/models/draft-heads/mtp-model.ts';
import { makeFolder, readLines } from './fixtures.ts';

describe('the MTP layer of a file', () => {
  it('is used', async () => {
    const folder = await makeFolder();
    writeMtpModel(join(folder, 'model.gguf'), { layers: 2 });
    const { catalogue, lines } = await readLines(folder);
    expect(lines).toEqual([]);
    expect(catalogue.sourceOf('model')).toMatchObject({ mtp: {}, shape: { layers: 3, mtpCachedPerToken: 32 } });
  });

  it('is not used where the model.json turns it off', async () => {
    const folder = await makeFolder();
    writeMtpModel(join(folder, 'model.gguf'), { layers: 2 });
    await writeFile(join(folder, 'model.json'), JSON.stringify({ settings: { mtp: false } }));
    const { catalogue, lines } = await readLines(folder);
    expect(lines).toEqual([]);
    const source = catalogue.sourceOf('model');
    expect(source?.mtp).toEqual({ off: 'its model.json turns it off' });
    expect(source?.shape).not.toHaveProperty('mtpCachedPerToken');
    expect(catalogue.find('model')?.settings).toMatchObject({ mtp: false });
  });

  it.each([
    ['has its name alone', { hasMtpTensors: false }],
    ['lacks its projection, without which llama.cpp would end the process', { lacks: 'nextn.eh_proj' }],
  ])('is none where the file %s', async (_, options) => {
    const folder = await makeFolder();
    writeMtpModel(join(folder, 'model.gguf'), { layers: 2, ...options });
    const { catalogue } = await readLines(folder);
    expect(catalogue.sourceOf('model')).not.toHaveProperty('mtp');
  });

  it('is an error in a model.json that gives no boolean', async () => {
    const folder = await makeFolder();
    writeMtpModel(join(folder, 'model.gguf'), { layers: 2 });
    await writeFile(join(folder, 'model.json'), JSON.stringify({ settings: { mtp: 'off' } }));
    const { lines } = await readLines(folder);
    expect(lines).toEqual([expect.stringContaining('settings.mtp must be a boolean')]);
  });
});
