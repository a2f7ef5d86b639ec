import type { Model } from './model.ts';

/** Takes models out of the catalogue, their files included. */
export interface Remover {
  /** Removes a model. It is gone from the catalogue afterwards. Throws `ApiError` saying why it can't be removed. */
  remove(id: Model['id']): Promise<void>;
}
