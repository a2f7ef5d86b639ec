import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the models that come with Paddock. */
export const builtInModelsFolder: string = fileURLToPath(new URL('models', packageRoot()));

/** The sources and what is built of them lie at different depths. */
function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return folder;
}
