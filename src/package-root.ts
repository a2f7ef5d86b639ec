import { existsSync } from 'node:fs';

/** Returns the folder of Paddock's package.json. It is searched for, since sources and built files lie at different depths below it. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return folder;
}
