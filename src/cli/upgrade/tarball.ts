import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { UsageError } from '../../serve/errors.ts';
import { messageOf } from '../../utils/error-message.ts';

/** The size of a tar header, and of the units in which contents are stored, in bytes. */
const BLOCK_BYTES = 512;

/** Returns the version of Paddock in a tarball of npm. Throws a `UsageError` if the file is no such tarball. */
export function versionIn(file: string): string {
  const { name, version } = readManifest(file);
  if (name !== 'paddock' || typeof version !== 'string')
    throw new UsageError(`--from ${file} is not a tarball of Paddock, which npm pack makes`);
  return version;
}

function readManifest(file: string): { name?: unknown; version?: unknown } {
  try {
    return JSON.parse(entryOf(gunzipSync(readFileSync(file)), 'package/package.json') ?? '{}');
  } catch (error) {
    throw new UsageError(`--from ${file} can't be read: ${messageOf(error)}`);
  }
}

/** Returns the text of a file in a tar archive; null if it is not there. */
function entryOf(archive: Buffer, path: string): string | null {
  for (let start = 0; start + BLOCK_BYTES <= archive.length; ) {
    const header = archive.subarray(start, start + BLOCK_BYTES);
    const name = textOf(header.subarray(0, 100));
    const size = Number.parseInt(textOf(header.subarray(124, 136)), 8) || 0;
    const content = start + BLOCK_BYTES;
    if (name === path) return archive.toString('utf8', content, content + size);
    start = content + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return null;
}

/** Returns a field of a tar header, which ends with the first zero. */
function textOf(field: Buffer): string {
  return field.toString('utf8').replace(/\0.*$/s, '');
}
