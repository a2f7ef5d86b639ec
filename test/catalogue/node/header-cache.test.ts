import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFileCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import { openHeaderCache } from '../../../src/catalogue/node/header-cache.ts';
import type { GgufValue } from '../../../src/gguf/fields.ts';
import type { GgufHeader } from '../../../src/gguf/header.ts';
import { silentLog } from '../../kit/log.ts';
import { texts } from '../../kit/models/gguf-writer.ts';
import { makeVocabulary } from '../../kit/models/vocabulary.ts';
import { makeFolder, modelEntries, writeSparse } from './fixtures.ts';

/** A type in which nothing may be left out. */
type Whole<T> = T extends (infer Item)[] ? Whole<Item>[] : T extends object ? { [Key in keyof T]-?: Whole<T[Key]> } : T;

/** A header with all that headers may have: each must survive a restart. */
const header: Pick<GgufHeader, 'fields'> & Whole<Omit<GgufHeader, 'fields'>> = {
  fields: new Map<string, GgufValue>([
    ['name', 'x'],
    ['sizes', [1, 2]],
    ['tokens', { length: 5, position: 7 }],
  ]),
  tensorCount: 1,
  parameterCount: 2,
  tensors: { layers: [{ experts: 0, rest: 8, isMtp: true }], embedding: 0, output: 0, others: 0, mapsVocabulary: true },
  bytes: 1_000_000,
};

describe('the cache of headers', () => {
  it('returns a kept header unchanged after a restart', async () => {
    const path = join(await makeFolder(), 'some', 'cache.json');
    const first = await openHeaderCache(path);
    first.keep('stamp', header);
    await first.save();
    const next = await openHeaderCache(path);
    expect(next.find('stamp')).toEqual(header);
    expect(next.find('another')).toBeUndefined();
  });

  it('keeps earlier headers beside new ones', async () => {
    const path = join(await makeFolder(), 'cache.json');
    for (const stamp of ['a', 'b']) {
      const cache = await openHeaderCache(path);
      cache.keep(stamp, header);
      await cache.save();
    }
    const last = await openHeaderCache(path);
    expect([last.find('a'), last.find('b')]).toEqual([header, header]);
  });

  it('skips short headers, and works without a file', async () => {
    const path = join(await makeFolder(), 'cache.json');
    const cache = await openHeaderCache(path);
    cache.keep('stamp', { ...header, bytes: 8000 });
    await cache.save();
    await expect(stat(path)).rejects.toThrow('ENOENT');
    const none = await openHeaderCache(undefined);
    none.keep('stamp', header);
    await none.save();
    expect(none.find('stamp')).toBeUndefined();
  });

  it.each(['', '{"version": 4', '{"version": 3, "headers": []}', '{"version": 4, "headers": [["a", {}]]}', 'null'])(
    'is empty if its file is broken: %s',
    async (content) => {
      const path = join(await makeFolder(), 'cache.json');
      await writeFile(path, content);
      const cache = await openHeaderCache(path);
      expect(cache.find('a')).toBeUndefined();
      cache.keep('a', header);
      await cache.save();
      expect((await openHeaderCache(path)).find('a')).toEqual(header);
    },
  );

  it('does no harm if its file can not be written', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'file'), '');
    const cache = await openHeaderCache(join(folder, 'file', 'cache.json'));
    cache.keep('a', header);
    await expect(cache.save()).resolves.toBeUndefined();
  });
});

describe('a catalogue with a cache', () => {
  it('describes a model from the cache as from its file, until the file changes', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a.gguf');
    const cache = join(folder, 'cache', 'headers.json');
    const entries = modelEntries({ 'tokenizer.ggml.tokens': texts(makeVocabulary(10_000).tokens) });
    const read = async () => (await readFileCatalogue([folder], silentLog, cache)).sourceOf('a');
    await writeSparse(path, entries);
    const first = await read();
    expect(first?.shape.vocabularySize).toBe(10_000);
    // The changed number shows that the catalogue uses the cache.
    await writeFile(cache, (await readFile(cache, 'utf8')).replace('"length":10000', '"length":12345'));
    expect((await read())?.shape).toEqual({ ...first?.shape, vocabularySize: 12_345 });
    await writeSparse(path, entries);
    expect(await read()).toEqual(first);
  });
});
