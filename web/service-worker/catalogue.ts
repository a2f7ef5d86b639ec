import type { Catalogue } from '../../src/contract/models/model.ts';
import type { BrowserModel } from '../protocol.ts';

/** The models as they were when they were last read. */
export interface BrowserCatalogue extends Catalogue {
  model(id: string): BrowserModel | undefined;
  refresh(): Promise<void>;
}

export async function readCatalogue(readModels: () => Promise<BrowserModel[]>): Promise<BrowserCatalogue> {
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
