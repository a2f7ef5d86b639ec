import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelSource } from '../../engine/engine.ts';
import { packageRoot } from '../../package-root.ts';

/** The folder of the models that come with Paddock. */
export const builtInModelsFolder: string = fileURLToPath(new URL('models', packageRoot()));

/** True if the model comes with Paddock. Such a model can't be removed. */
export function isBuiltIn({ files }: ModelSource): boolean {
  return files.some((file) => file.startsWith(builtInModelsFolder + sep));
}
