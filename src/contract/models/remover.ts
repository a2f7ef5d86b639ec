import type { Model } from './model.ts';

/** Removes models from the catalogue and deletes their files. */
export interface Remover {
  /**
   * Removes a model. When this resolves, it is no longer in the catalogue. Throws an `ApiError` if it can't be removed.
   */
  remove(id: Model['id']): Promise<void>;
}
