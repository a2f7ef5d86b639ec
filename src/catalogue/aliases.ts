import { findByName } from '../contract/models/find-model.ts';
import type { Catalogue, ModelCard } from '../contract/models/model.ts';
import { isModelId, MODEL_ID_RULE } from './model-id.ts';

/** A name that an operator gives to a model. */
export interface Alias {
  name: string;
  /** The id of the model, or the name of a starter model. */
  model: string;
}

/** Reads `name=id`. Returns the error message, which completes the sentence "--alias ...", if it is wrong. */
export function readAlias(text: string): Alias | string {
  const [, name = '', model = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === '' || model === '') return 'must be name=id, as in gpt-4o-mini=qwen3:4b';
  return isModelId(name) ? { name, model } : `must begin with a name, which ${MODEL_ID_RULE}`;
}

/**
 * Returns the catalogue with these aliases, each as `name=id`, besides those of each model.json. An alias of a missing
 * model has no effect.
 */
export function withAliases(catalogue: Catalogue, texts: string[]): Catalogue {
  const aliases = texts.map(readAlias).filter((alias) => typeof alias !== 'string');
  if (aliases.length === 0) return catalogue;
  /** A card is the same object until its model changes, and so is its card with aliases. */
  const named = new WeakMap<ModelCard, ModelCard>();
  const withOwn = (card: ModelCard): ModelCard => {
    const known = named.get(card);
    if (known) return known;
    const own = aliases.filter(({ model }) => findByName(catalogue, model)?.id === card.id).map(({ name }) => name);
    const result = own.length === 0 ? card : { ...card, aliases: [...new Set([...(card.aliases ?? []), ...own])] };
    named.set(card, result);
    return result;
  };
  return {
    list: () => catalogue.list().map(withOwn),
    find: (id) => {
      const card = catalogue.find(id);
      return card && withOwn(card);
    },
  };
}
