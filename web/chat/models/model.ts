import type { Model } from '../../../src/contract/models/model.ts';

/** A model as `GET /v1/models` lists it. */
export type ListedModel = Omit<Model, 'sources'>;

/** True if the model answers messages. Others make embeddings or rank documents. */
export function canChat({ capabilities }: ListedModel): boolean {
  return !capabilities.embedding && !capabilities.rerank;
}

/** The name of a model as people tell it from others: with its id, if another one has the same name. */
export function nameAmong({ id, name }: Pick<ListedModel, 'id' | 'name'>, models: ListedModel[] | null): string {
  const isShared = models?.some((other) => other.name === name && other.id !== id) ?? false;
  return isShared && id !== name ? `${name} (${id})` : name;
}
