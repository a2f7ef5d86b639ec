import type { Model } from '../../../src/core/model.ts';

/** A model as `GET /v1/models` lists it. */
export type ListedModel = Omit<Model, 'sources'>;

/** Whether it answers messages: others make vectors of texts, or rank them. */
export function canChat({ capabilities }: ListedModel): boolean {
  return !capabilities.embedding && !capabilities.rerank;
}
