import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject } from '../utils/json.ts';
import { mapLimited } from '../utils/map-limited.ts';

/** The most files that are opened at once: a process may open only so many. */
export const AT_ONCE = 32;

/**
 * Reads the records among the names of a folder, one JSON file each. Leaves out a file that holds no JSON object.
 * Throws the error of the file system if a file can't be read.
 */
export async function readRecords<R>(folder: string, names: readonly string[]): Promise<R[]> {
  const records = names.filter((name) => name.endsWith('.json'));
  const read = await mapLimited(records, AT_ONCE, async (name) =>
    parseObject(await readFile(join(folder, name), 'utf8')),
  );
  return (read as (R | null)[]).filter((record) => record !== null);
}
