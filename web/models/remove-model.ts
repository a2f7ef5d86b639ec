import { placeTaken } from '../../src/catalogue/pull/errors.ts';
import { modelNotFound } from '../../src/contract/errors.ts';
import { unlessBusy } from './model-lock.ts';
import { readStored, removeOthers } from './store.ts';

/**
 * Removes a stored model, and the files that unfinished pulls of it left behind.
 *
 * @throws ApiError if there is no such model, or if it is being changed
 */
export async function removeStoredModel(id: string): Promise<void> {
  const outcome = await unlessBusy(id, async () => {
    const stored = (await readStored()).some(({ model }) => model.card.id === id);
    await removeOthers(id, null);
    if (!stored) throw modelNotFound(id);
  });
  if (!outcome) throw placeTaken(`${id} is being pulled just now. Remove it when that has ended, or end it first.`);
}
