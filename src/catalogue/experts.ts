import type { ModelShape } from '../engine/engine.ts';
import type { Fields } from '../gguf/fields.ts';
import type { TensorBytes } from '../gguf/tensor-bytes.ts';
import { sum } from '../utils/sum.ts';

/** Returns the bytes of the experts and how many a token uses; nothing for a model that is no mixture of experts. */
export function readExperts(
  architecture: string,
  fields: Fields,
  { layers }: Pick<TensorBytes, 'layers'>,
): Pick<ModelShape, 'experts'> {
  const [count, used] = ['expert_count', 'expert_used_count'].map(
    (name) => fields.number(`${architecture}.${name}`) ?? 0,
  );
  const bytes = sum(layers.map(({ experts }) => experts));
  if (!count || !used || used > count || bytes === 0) return {};
  return { experts: { bytes, count, used } };
}
