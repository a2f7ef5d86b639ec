// @module-tag slow
import { EventEmitter, once } from 'node:events';
import { appendFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import type { Log } from '../../../src/contract/log.ts';
import { text } from '../../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, tensor, writeSparse } from './fixtures.ts';

/** Opens a watched catalogue. `until` waits for a state of it. The catalogue logs a line after each change. */
async function watched(...folders: string[]) {
  const lines: string[] = [];
  const said = new EventEmitter();
  const record = (message: string, fields: unknown) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
    // The lists change just after the line has been logged.
    setImmediate(() => said.emit('line'));
  };
  const log: Log = { debug: record, info: record, warn: record, error: record };
  const catalogue = await openCatalogue(folders, log);
  onTestFinished(() => catalogue[Symbol.asyncDispose]());
  const ids = () => catalogue.list().map(({ id }) => id);
  const until = async (condition: () => boolean) => {
    while (!condition()) await once(said, 'line');
  };
  return {
    catalogue,
    lines,
    untilIds: (...expected: string[]) => until(() => ids().join() === expected.join()),
    untilSaid: (pattern: RegExp) => until(() => lines.some((line) => pattern.test(line))),
    until,
  };
}

describe('a watched catalogue', () => {
  it('sees models come and go', async () => {
    const folder = await makeFolder();
    const { untilIds } = await watched(folder);
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await untilIds('a');
    await rm(join(folder, 'a.gguf'));
    await untilIds();
  });

  it('sees models in new folders within new folders', async () => {
    const folder = await makeFolder();
    const { untilIds } = await watched(folder);
    await writeSparse(join(folder, 'some', 'where', 'deep', 'a.gguf'), modelEntries());
    await untilIds('some/where/deep/a');
    await writeSparse(join(folder, 'some', 'b.gguf'), modelEntries());
    await untilIds('some/b', 'some/where/deep/a');
    await rm(join(folder, 'some'), { recursive: true });
    await untilIds();
  });

  it('sees a folder that is renamed into place', async () => {
    const folder = await makeFolder();
    const downloads = await makeFolder();
    const { untilIds } = await watched(folder);
    await writeSparse(join(downloads, 'pulled', 'a.gguf'), modelEntries());
    await writeFile(join(downloads, 'pulled', 'model.json'), '{"id": "org/repo:Q8_0"}');
    await mkdir(join(folder, 'org', 'repo'), { recursive: true });
    await rename(join(downloads, 'pulled'), join(folder, 'org', 'repo', 'Q8_0'));
    await untilIds('org/repo:Q8_0');
  });

  it('sees a model replaced', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    const { catalogue, until } = await watched(folder);
    await writeSparse(join(folder, 'b.part'), modelEntries({ 'general.name': text('Another') }));
    await rename(join(folder, 'b.part'), join(folder, 'a.gguf'));
    await until(() => catalogue.find('a')?.name === 'Another');
  });

  it('sees a model.json come, change and go', async () => {
    const folder = await makeFolder();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    const { untilIds, untilSaid } = await watched(folder);
    await writeFile(join(folder, 'model.json'), '{"id": "first"}');
    await untilIds('first');
    await writeFile(join(folder, 'model.json'), '{"id": "second"}');
    await untilIds('second');
    await writeFile(join(folder, 'model.json'), '{"id": 3}');
    await untilSaid(/model\.json skipped .*id must be a string/);
    await untilIds('a');
    await rm(join(folder, 'model.json'));
  });

  it('serves a file once it has been copied completely, and logs the incomplete one once', async () => {
    const source = join(await makeFolder(), 'a.gguf');
    await writeSparse(source, modelEntries(), [tensor('weights', [10_000])]);
    const bytes = await readFile(source);
    const folder = await makeFolder();
    const { catalogue, lines, untilIds, untilSaid } = await watched(folder);
    const path = join(folder, 'a.gguf');
    await writeFile(path, bytes.subarray(0, 100));
    await untilSaid(/model skipped .*not whole.*"size":100/);
    await appendFile(path, bytes.subarray(100, -1));
    await catalogue.refresh();
    expect(catalogue.list()).toEqual([]);
    await appendFile(path, bytes.subarray(-1));
    await untilIds('a');
    expect(lines.filter((line) => line.includes('not whole'))).toHaveLength(1);
  });

  it('waits for a folder that does not exist yet, and for one that is deleted and made again', async () => {
    const folder = join(await makeFolder(), 'home', 'models');
    const { lines, untilIds } = await watched(folder);
    expect(lines).toEqual([]);
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await untilIds('a');
    await rm(folder, { recursive: true });
    await untilIds();
    await writeSparse(join(folder, 'in', 'b.gguf'), modelEntries());
    await untilIds('in/b');
    await writeSparse(join(folder, 'in', 'c.gguf'), modelEntries());
    await untilIds('in/b', 'in/c');
  });

  it('continues if a file can not be read', async () => {
    const folder = await makeFolder();
    const { untilIds, untilSaid } = await watched(folder);
    const file = await open(join(folder, 'broken.gguf'), 'w');
    await file.write('no GGUF at all, but some text');
    await file.close();
    await untilSaid(/model skipped .*broken\.gguf/);
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await untilIds('a');
  });

  it('does not keep the process running after it has been closed', async () => {
    const folder = await makeFolder();
    const { catalogue, lines } = await watched(folder);
    await catalogue[Symbol.asyncDispose]();
    await writeSparse(join(folder, 'a.gguf'), modelEntries());
    await catalogue.refresh();
    expect(lines).toHaveLength(1);
  });
});
