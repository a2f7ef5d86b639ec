import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readCatalogue } from '../../src/catalogue/catalogue.ts';
import { recordingLog, silentLog } from '../support/log.ts';

describe('the catalogue', () => {
  it('describes every GGUF of the folder and its subfolders from its metadata', async () => {
    const catalogue = await readCatalogue([inject('modelsFolder')], silentLog);
    expect(catalogue.list().map(({ id }) => id)).toEqual(['embed/mini', 'rerank/mini', 'shelf/brief', 'tiny']);
    const card = catalogue.find('tiny');
    expect(card).toMatchObject({
      name: 'Tiny test model',
      format: 'gguf',
      trainedContextLength: 1024,
      settings: { embedding: false },
      metadata: { tags: ['qwen2', 'F32', '692K', 'text'] },
    });
    expect(card?.parameterCount).toBeGreaterThan(100_000);
    expect(card?.metadata.size).toBeGreaterThan(1_000_000);
  });

  it('says where a model lies and what it is for', async () => {
    const catalogue = await readCatalogue([inject('modelsFolder')], silentLog);
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

  describe('with a broken file in the folder', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'paddock-broken-'));
      await writeFile(join(folder, 'broken.gguf'), 'this is no GGUF');
    });
    afterAll(() => rm(folder, { recursive: true }));

    it('reports the file, skips it and serves the rest', async () => {
      const lines: string[] = [];
      const catalogue = await readCatalogue([folder], recordingLog(lines));
      expect(catalogue.list()).toEqual([]);
      expect(lines.join()).toMatch(/model skipped .*broken\.gguf/);
    });
  });

  it('is empty, without alarm, where the folder does not exist', async () => {
    const lines: string[] = [];
    const catalogue = await readCatalogue([join(inject('modelsFolder'), 'none')], recordingLog(lines));
    expect(catalogue.list()).toEqual([]);
    expect(lines).toEqual([]);
  });
});
