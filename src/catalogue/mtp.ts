import type { ModelShape, ModelSource } from '../engine/engine.ts';
import type { Fields } from '../gguf/fields.ts';
import type { TensorBytes } from '../gguf/tensor-bytes.ts';
import { cachedNumbersOfLayer } from './cache-shape.ts';

/** What is known of a model's MTP layers, for its source and its shape. */
export interface MtpFacts {
  mtp?: NonNullable<ModelSource['mtp']>;
  mtpCachedPerToken?: NonNullable<ModelShape['mtpCachedPerToken']>;
}

/** The architectures whose MTP layer the native engine uses. llama.cpp would end the process where it knows no graph for one. */
const USED = new Set(['glm4moe', 'qwen35', 'qwen35moe']);

/**
 * Reads from a header whether a model has MTP layers, and the numbers in their cache for one token if they are used.
 * Returns nothing for a model without, and for a file that names some and has none.
 *
 * @param isWanted false if the model.json turns them off
 * @param guessed true if a draft model guesses in their place
 */
export function readMtp(
  architecture: string,
  fields: Fields,
  { layers }: Pick<TensorBytes, 'layers'>,
  isWanted: boolean,
  guessed: boolean,
): MtpFacts {
  const figure = (name: string) => fields.number(`${architecture}.${name}`) ?? 0;
  const count = figure('nextn_predict_layers');
  const place = figure('block_count') - 1;
  if (count === 0 || !layers[place]?.isMtp) return {};
  const off = whyOff(architecture, count, isWanted);
  if (off !== undefined) return { mtp: { off } };
  return { mtp: {}, ...(!guessed && { mtpCachedPerToken: cachedNumbersOfLayer(architecture, fields, place) }) };
}

function whyOff(architecture: string, count: number, isWanted: boolean): string | undefined {
  if (!isWanted) return 'its model.json turns it off';
  if (!USED.has(architecture)) return `Paddock does not use that of the architecture ${architecture}`;
  return count === 1 ? undefined : `it has ${count}, and Paddock uses one alone`;
}
