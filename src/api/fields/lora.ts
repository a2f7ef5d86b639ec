import * as v from 'valibot';
import { between, integerField, list, nonEmptyText, objectField } from './fields.ts';

/** The most adapters of a request or of a model. */
export const MOST_ADAPTERS = 64;
/** A larger scale is a mistake: adapters are trained for a scale of 1. */
const LARGEST_SCALE = 100;

/** The factor of an adapter's changes to the weights. */
export const adapterScale = between(-LARGEST_SCALE, LARGEST_SCALE);

/** LoRA adapters of a request, each by its name or by its index in the model's list, as llama-server's clients do. */
export const adaptersField = list(
  objectField(
    {
      id: v.union([nonEmptyText, integerField(0)], 'must be the name or the index of an adapter'),
      scale: adapterScale,
    },
    'must be an object with id and scale',
  ),
  MOST_ADAPTERS,
  'adapters',
  'must be an array of objects with id and scale',
);

/** The LoRA adapters that a request names. */
export type NamedAdapters = v.InferOutput<typeof adaptersField>;
