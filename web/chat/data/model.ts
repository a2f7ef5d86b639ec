import type { Model } from '../../../src/core/model.ts';

/** A model as `GET /v1/models` lists it. */
export type ListedModel = Omit<Model, 'sources'>;

/** True if the model answers messages. Others make embeddings or rank documents. */
export function canChat({ capabilities }: ListedModel): boolean {
  return !capabilities.embedding && !capabilities.rerank;
}
