import type { BrowserModel } from '../protocol.ts';
import { readStored } from './store.ts';

/**
 * The models that this origin has stored, in the order of their ids. Reads the store each time. Service workers can
 * call it too.
 */
export async function readModels(): Promise<BrowserModel[]> {
  return (await readStored()).map(({ model }) => model);
}
