import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import type { GgufValue } from '../../gguf/fields.ts';
import type { GgufHeader } from '../../gguf/header.ts';
import { replaceFile } from '../../replace-file.ts';

/**
 * A cache of headers in a file. Reading the headers of hundreds of models takes seconds: their vocabularies are long.
 */
export interface HeaderCache {
  /** Returns the header of the file with this stamp. */
  find(stamp: string): GgufHeader | undefined;
  keep(stamp: string, header: GgufHeader): void;
  /** Writes the cache if a header is new. If writing fails, the cache file stays as it was. */
  save(): Promise<void>;
}

/** Headers of fewer bytes than this are not kept: reading them from the model is as fast. */
const WORTH_KEEPING = 64 * 1024;
/** The most headers that the file keeps. Headers that this process has not used are dropped first. */
const MOST_KEPT = 2000;

/** To be raised when the stored form of a header changes, and when there is more to it: earlier files lack that. */
const VERSION = 4;

const cacheSchema = v.object({
  version: v.literal(VERSION),
  headers: v.array(
    v.tuple([
      v.string(),
      v.object({
        fields: v.array(v.tuple([v.string(), v.unknown()])),
        tensorCount: v.number(),
        parameterCount: v.number(),
        tensors: v.object({
          layers: v.array(v.object({ experts: v.number(), rest: v.number(), isMtp: v.exactOptional(v.literal(true)) })),
          embedding: v.number(),
          output: v.number(),
          others: v.number(),
          mapsVocabulary: v.exactOptional(v.literal(true)),
        }),
        bytes: v.number(),
      }),
    ]),
  ),
});

/** Opens the cache in a file. A missing or broken file is an empty cache. Without a path nothing is kept. */
export async function openHeaderCache(path: string | undefined): Promise<HeaderCache> {
  if (path === undefined) return { find: () => undefined, keep: () => {}, save: async () => {} };
  const known = await readCache(path);
  const used = new Map<string, GgufHeader>();
  let isNew = false;
  return {
    find(stamp) {
      const header = known.get(stamp);
      if (header) used.set(stamp, header);
      return header;
    },
    keep(stamp, header) {
      if (header.bytes < WORTH_KEEPING) return;
      used.set(stamp, header);
      isNew = true;
    },
    async save() {
      if (!isNew) return;
      isNew = false;
      const headers = [...new Map([...used, ...known])].slice(0, MOST_KEPT);
      await writeCache(path, headers).catch(() => {});
    },
  };
}

async function readCache(path: string): Promise<Map<string, GgufHeader>> {
  try {
    const { headers } = v.parse(cacheSchema, JSON.parse(await readFile(path, 'utf8')));
    return new Map(headers.map(([stamp, header]) => [stamp, { ...header, fields: toFields(header.fields) }]));
  } catch {
    return new Map();
  }
}

/** JSON writes infinite numbers as null, so fields with null are dropped. */
function toFields(fields: [string, unknown][]): GgufHeader['fields'] {
  return new Map(fields.filter((field): field is [string, GgufValue] => field[1] !== null));
}

function writeCache(path: string, headers: [string, GgufHeader][]): Promise<void> {
  const content = headers.map(([stamp, header]) => [stamp, { ...header, fields: [...header.fields] }]);
  return replaceFile(path, JSON.stringify({ version: VERSION, headers: content }));
}
