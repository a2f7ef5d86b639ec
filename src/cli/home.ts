import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where Paddock keeps what is the user's: `models/`, `downloads/` and `config.json`. */
export function paddockHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.PADDOCK_HOME || join(homedir(), '.paddock');
}

/** Where the models that come with Paddock lie. */
export const builtInFolder = fileURLToPath(new URL('../../../models', import.meta.url));

/** Where unfinished pulls lie: beside the home's models, or inside another folder, since they must be on its disk. */
export function downloadsFolder(models: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = resolve(paddockHome(env));
  return dirname(models) === home ? join(home, 'downloads') : join(models, '.downloads');
}
