import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where Paddock keeps what is the user's: `models/`, `downloads/`, `cache/` and `config.json`. */
export function paddockHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.PADDOCK_HOME || join(homedir(), '.paddock');
}

/** Where unfinished pulls lie. */
export function downloadsFolder(): string {
  return join(paddockHome(), 'downloads');
}

/** What is known of the headers of large models, so that the next start need not read them. */
export function headerCacheFile(): string {
  return join(paddockHome(), 'cache', 'headers.json');
}
