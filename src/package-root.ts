import { existsSync } from 'node:fs';

/** The folder of Paddock's package.json: the sources and what is built of them lie at different depths below it. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return folder;
}
