import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { parseGgufShardFilename } from '@huggingface/gguf';
import type { Log } from '../core/log.ts';
import type { Catalogue } from '../core/model.ts';
import { describeModel, type ModelEntry } from './describe.ts';

export interface FileCatalogue extends Catalogue {
  /** Where a model lies and what it is for; undefined for an unknown id. */
  sourceOf(id: string): ModelEntry['source'] | undefined;
}

/**
 * The models in a folder and the folders in it: every `*.gguf`, split files taken together. A file that can't be read is
 * reported and skipped.
 */
export async function openCatalogue(folder: string, log: Log): Promise<FileCatalogue> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    log.warn('the models folder can not be read', { folder, error: String(error) });
    return [];
  });
  const entries = new Map<string, ModelEntry>();
  await Promise.all(
    [...groupByModel(names)].map(async ([id, files]) => {
      try {
        entries.set(
          id,
          await describeModel(
            id,
            files.map((file) => join(folder, file)),
          ),
        );
      } catch (error) {
        log.warn('model skipped', { files, error: String(error) });
      }
    }),
  );
  const ids = [...entries.keys()].sort();

  return {
    list: () => ids.flatMap((id) => entries.get(id)?.card ?? []),
    find: (id) => entries.get(id)?.card,
    sourceOf: (id) => entries.get(id)?.source,
  };
}

/** File names to model ids: the path without `.gguf`, and without the part number of a split file. */
export function groupByModel(names: string[]): Map<string, string[]> {
  const models = new Map<string, string[]>();
  for (const name of names.filter((name) => name.endsWith('.gguf')).sort()) {
    const stem = parseGgufShardFilename(name)?.prefix ?? name.slice(0, -'.gguf'.length);
    const id = stem.replaceAll(sep, '/');
    models.set(id, [...(models.get(id) ?? []), name]);
  }
  return models;
}
