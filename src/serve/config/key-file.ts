import { statSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import { readGivenFile } from './given-file.ts';
import type { Config } from './settings.ts';

/** Adds the keys in `apiKeyFile` to those in `apiKey`. Throws a `UsageError` if the file can't be read or holds no key. */
export function withKeysOfFile(config: Config): Config {
  const { apiKey, apiKeyFile } = config;
  return apiKeyFile === undefined ? config : { ...config, apiKey: [...apiKey, ...readKeys(apiKeyFile)] };
}

function readKeys(path: string): string[] {
  const keys = readGivenFile(path, 'the file of --api-key-file')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  // Without a key, the server would be open to everyone.
  if (keys.length === 0) throw new UsageError(`${path}, the file of --api-key-file, holds no key`);
  return keys;
}

/** True if users besides the owner may read a file. Always false on Windows, whose access rights are not in the mode. */
export function othersMayRead(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o044) !== 0;
}
