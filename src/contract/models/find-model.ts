import { findStarter, idOfStarter } from './find-starter.ts';
import type { Catalogue, ModelCard } from './model.ts';

/** Finds a model by its id, by an alias, or by the name of the starter model that it is: `qwen3:4b`. */
export function findByName(catalogue: Catalogue, name: string): ModelCard | undefined {
  const card = catalogue.find(name) ?? catalogue.list().find(({ aliases }) => aliases?.includes(name));
  if (card) return card;
  const starter = findStarter(name);
  return starter && catalogue.find(idOfStarter(starter));
}
