import type { ListedModel } from '../../../src/contract/models/model.ts';

/** True if the model answers messages. Other models make embeddings or rank documents. */
export function canChat({ capabilities }: ListedModel): boolean {
  return !capabilities.embedding && !capabilities.rerank;
}

/** Returns the name of a model, with its id if another model has the same name. */
export function nameAmong({ id, name }: Pick<ListedModel, 'id' | 'name'>, models: ListedModel[] | null): string {
  const isShared = models?.some((other) => other.name === name && other.id !== id) ?? false;
  return isShared && id !== name ? `${name} (${id})` : name;
}
