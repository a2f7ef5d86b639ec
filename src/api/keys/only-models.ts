import type { Catalogue } from '../../contract/models/model.ts';

/** Returns a catalogue that has only these models. */
export function onlyModels(catalogue: Catalogue, ids: readonly string[]): Catalogue {
  return {
    list: () => catalogue.list().filter(({ id }) => ids.includes(id)),
    find: (id) => (ids.includes(id) ? catalogue.find(id) : undefined),
  };
}
