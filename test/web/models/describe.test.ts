import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { readFileCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import { describeFiles } from '../../../web/models/describe.ts';
import { headerBytes, modelEntries, projectorEntries } from '../../catalogue/node/fixtures.ts';
import { inMemory } from '../../gguf/fixtures.ts';
import { silentLog } from '../../kit/log.ts';

const file = (name: string, bytes: Uint8Array) => ({
  name,
  bytes: inMemory(bytes),
  stored: { place: 'opfs' as const, path: [name], size: bytes.length },
  modified: 0,
});

const whole = (header: Uint8Array) => Buffer.concat([header, Buffer.alloc(256)]);

describe('a model of the browser', () => {
  it('has the same card as on the server', async () => {
    const folder = inject('modelsFolder');
    const catalogue = await readFileCatalogue([folder], silentLog);
    const { card, source } = await describeFiles(
      'tiny',
      [file('tiny.gguf', await readFile(join(folder, 'tiny.gguf')))],
      {},
    );
    const { created, ...expected } = catalogue.find('tiny') ?? { created: 0 };
    expect(card).toEqual({ ...expected, created: 0 });
    expect(source).toMatchObject({ kind: 'chat', shape: catalogue.sourceOf('tiny')?.shape });
    expect(source.tokens.eos).toBe('<|im_end|>');
  });

  it('tells its projector from its parts, wherever it stands', async () => {
    const files = [
      file('a-vision.gguf', whole(headerBytes(projectorEntries(64)))),
      file('a-00001-of-00002.gguf', whole(headerBytes(modelEntries()))),
      file('a-00002-of-00002.gguf', whole(headerBytes(modelEntries()))),
    ];
    const { source, card } = await describeFiles('a', files, {});
    expect(source.files).toEqual(files.slice(1).map(({ stored }) => stored));
    expect(source.projector).toEqual(files[0]?.stored);
    expect(card.settings.vision_model).toBe(true);
  });

  it('takes its settings from its description', async () => {
    const settings = { ctx_len: 512, cpu_threads: 1, prompt_template: '{{ messages }}' };
    const { source } = await describeFiles('a', [file('a.gguf', whole(headerBytes(modelEntries())))], { settings });
    expect(source).toMatchObject({ contextLength: 512, threads: 1, chatTemplate: '{{ messages }}' });
  });
});
