import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns Paddock's folder in the user's home. It holds `models/`, `downloads/`, `cache/`, `batches/`, `config.json` and `keys.json`. */
export function paddockHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.PADDOCK_HOME || join(homedir(), '.paddock');
}

/** Returns the path of the file of keys that is used without `--keys`, if it exists. */
export function defaultKeysFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(paddockHome(env), 'keys.json');
}

/** Returns the folder of unfinished pulls. */
export function downloadsFolder(): string {
  return join(paddockHome(), 'downloads');
}

/** Returns the folder of the copies of evicted slots' KV caches. */
export function copiesFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(paddockHome(env), 'cache', 'prompts');
}

/** Returns the file that keeps the headers of large models for the next start. */
export function headerCacheFile(): string {
  return join(paddockHome(), 'cache', 'headers.json');
}

/** Returns the folder of the files and batches of clients. */
export function batchesFolder(): string {
  return join(paddockHome(), 'batches');
}
