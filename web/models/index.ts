import type { BrowserModel } from '../protocol.ts';
import { readStored } from './store.ts';

/**
 * Returns the stored models of this origin, sorted by id. Reads the store each time. The service worker can call it
 * too.
 */
export async function readModels(): Promise<BrowserModel[]> {
  return (await readStored()).map(({ model }) => model);
}
