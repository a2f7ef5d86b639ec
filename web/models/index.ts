import type { BrowserModel } from '../protocol.ts';
import { readStored } from './store.ts';

/** The models that this origin has stored, by their ids in order. Also for service workers; reads the store anew each time. */
export async function readModels(): Promise<BrowserModel[]> {
  return (await readStored()).map(({ model }) => model);
}
