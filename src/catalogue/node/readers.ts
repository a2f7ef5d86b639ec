import { readFile } from 'node:fs/promises';
import { IncompleteFile } from '../../gguf/file-reader.ts';
import { type GgufHeader, readGgufHeader } from '../../gguf/header.ts';
import { withOpenFile } from '../../gguf/node/open-file.ts';
import { messageOf } from '../../utils/error-message.ts';
import type { ModelEntry } from '../describe.ts';
import type { FoundFile } from '../found-file.ts';
import { type ModelOverrides, parseModelJson } from '../model-json.ts';
import type { CatalogueProblem } from '../problem.ts';
import type { HeaderCache } from './header-cache.ts';
import { createScanCache } from './scan-cache.ts';

const LARGEST_JSON = 1024 * 1024;

/** The result of reading a file. `value` is null if it could not be read. */
export interface ReadResult<T> {
  value: T | null;
  problem: CatalogueProblem | null;
}

/** Reads the files of a scan. A file that has not changed since the last scan is not read again. */
export interface Readers {
  header(file: FoundFile): Promise<ReadResult<GgufHeader>>;
  overrides(file: FoundFile): Promise<ReadResult<ModelOverrides>>;
  /** Returns the entry of an id made from these files. While the files are unchanged, it is the same object. */
  entry(id: string, files: FoundFile[], make: () => ModelEntry): ModelEntry;
  /** Ends a scan: forgets the files that it did not ask for, and saves the header cache. */
  finish(): Promise<void>;
}

/**
 * Makes the readers of one models folder. A file that can't be read does not make them throw: it becomes the `problem`
 * of its result. `cache` keeps the headers on disk, from one start of the server to the next.
 */
export function createReaders(cache: HeaderCache): Readers {
  const headers = createScanCache<Promise<ReadResult<GgufHeader>>>();
  const overrides = createScanCache<Promise<ReadResult<ModelOverrides>>>();
  const entries = createScanCache<ModelEntry>();
  return {
    header: (file) => headers.recall(file.stamp, () => readHeader(file, cache)),
    overrides: (file) => overrides.recall(file.stamp, () => readOverrides(file)),
    entry: (id, files, make) => entries.recall(JSON.stringify([id, files.map(({ stamp }) => stamp)]), make),
    async finish() {
      for (const scanCache of [headers, overrides, entries]) scanCache.sweep();
      await cache.save();
    },
  };
}

async function readHeader(file: FoundFile, cache: HeaderCache): Promise<ReadResult<GgufHeader>> {
  const known = cache.find(file.stamp);
  if (known) return { value: known, problem: null };
  try {
    const header = await withOpenFile(file, readGgufHeader);
    cache.keep(file.stamp, header);
    return { value: header, problem: null };
  } catch (error) {
    const problem =
      error instanceof IncompleteFile
        ? { reason: 'the file is not whole', sizes: { size: error.size, expected: error.expected } }
        : { reason: messageOf(error) };
    return { value: null, problem: { message: 'model skipped', file: file.path, ...problem } };
  }
}

async function readOverrides({ path, size }: FoundFile): Promise<ReadResult<ModelOverrides>> {
  try {
    if (size > LARGEST_JSON) throw new Error(`it has ${size} bytes, more than the ${LARGEST_JSON} that are read`);
    const { overrides, unknown } = parseModelJson(await readFile(path, 'utf8'));
    const reason = `these fields can not be set: ${unknown.join(', ').slice(0, 500)}`;
    const problem = { message: 'model.json has fields without effect', file: path, reason };
    return { value: overrides, problem: unknown.length > 0 ? problem : null };
  } catch (error) {
    return { value: null, problem: { message: 'model.json skipped', file: path, reason: messageOf(error) } };
  }
}
