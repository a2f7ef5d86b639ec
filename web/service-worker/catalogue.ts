import type { Catalogue } from '../../src/contract/models/model.ts';
import type { BrowserModel } from '../protocol.ts';

/** The models at the time of the last read. */
export interface BrowserCatalogue extends Catalogue {
  model(id: string): BrowserModel | undefined;
  refresh(): Promise<void>;
}

/** Reads the models and returns them as a catalogue. */
export async function readBrowserCatalogue(readModels: () => Promise<BrowserModel[]>): Promise<BrowserCatalogue> {
  let models = await readModels();
  const model = (id: string) => models.find(({ card }) => card.id === id);
  return {
    list: () => models.map(({ card }) => card),
    find: (id) => model(id)?.card,
    model,
    async refresh() {
      models = await readModels();
    },
  };
}
