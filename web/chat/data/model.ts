import type { Model } from '../../../src/core/model.ts';

/** A model as `GET /v1/models` lists it. */
export type ListedModel = Omit<Model, 'sources'>;
