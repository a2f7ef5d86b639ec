import { builtInModel, invalidRequest, modelNotFound } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { Remover } from '../../contract/models/remover.ts';
import { isBuiltIn } from './built-in.ts';
import type { FileCatalogue } from './catalogue.ts';
import { OutsideFolder, otherSources, planRemoval, removeModelFiles } from './remove.ts';

/**
 * Removes models from a folder of the catalogue, one at a time. `remove` throws a 404 `ApiError` for an unknown model,
 * and a 400 for the built-in model and for a model with files outside of the folder.
 */
export function createRemover(modelsFolder: string, catalogue: FileCatalogue, log: Log): Remover {
  const remove = async (id: string) => {
    const source = catalogue.sourceOf(id);
    if (!source) throw modelNotFound(id);
    if (isBuiltIn(source)) throw builtInModel(id);
    const removal = await planRemoval(modelsFolder, source, otherSources(catalogue, id)).catch((error: unknown) => {
      if (!(error instanceof OutsideFolder)) throw error;
      log.warn('model not removed', { id, reason: error.message });
      throw invalidRequest(`The model '${id}' can not be removed: not all of its files are in the models folder.`);
    });
    // The list must be read again even if the removal failed halfway.
    await removeModelFiles(modelsFolder, removal).finally(catalogue.refresh);
    log.info('model removed', { id, files: removal.files.length, bytes: removal.bytes });
  };
  let last: Promise<void> = Promise.resolve();
  return {
    remove(id) {
      last = last.catch(() => {}).then(() => remove(id));
      return last;
    },
  };
}
