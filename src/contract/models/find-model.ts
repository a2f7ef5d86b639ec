import { findStarter, idOfStarter } from './find-starter.ts';
import type { Catalogue, ModelCard } from './model.ts';
import { withProfile } from './profiles.ts';

/**
 * Finds a model by its id, by an alias, by the name of a profile, or by the name of the starter model that it is:
 * `qwen3:4b`. The card that is found by a profile has the defaults of the profile.
 */
export function findByName(catalogue: Catalogue, name: string): ModelCard | undefined {
  const card =
    catalogue.find(name) ??
    catalogue.list().find(({ aliases }) => aliases?.includes(name)) ??
    findByProfile(catalogue, name);
  if (card) return card;
  const starter = findStarter(name);
  return starter && catalogue.find(idOfStarter(starter));
}

function findByProfile(catalogue: Catalogue, name: string): ModelCard | undefined {
  for (const card of catalogue.list()) {
    const profile = card.profiles && Object.hasOwn(card.profiles, name) ? card.profiles[name] : undefined;
    if (profile) return withProfile(card, profile);
  }
  return undefined;
}
