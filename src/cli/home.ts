import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where Paddock keeps what is the user's: `models/`, `downloads/` and `config.json`. */
export function paddockHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.PADDOCK_HOME || join(homedir(), '.paddock');
}

/** Where the models that come with Paddock lie. */
export const builtInFolder = fileURLToPath(new URL('../../../models', import.meta.url));
