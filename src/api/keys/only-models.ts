import type { Catalogue } from '../../contract/models/model.ts';

/** A catalogue that has these models only. */
export function onlyModels(catalogue: Catalogue, ids: readonly string[]): Catalogue {
  return {
    list: () => catalogue.list().filter(({ id }) => ids.includes(id)),
    find: (id) => (ids.includes(id) ? catalogue.find(id) : undefined),
  };
}
