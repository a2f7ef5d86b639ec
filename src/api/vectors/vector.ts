import { invalidRequest } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';

/**
 * Returns the first `dimensions` numbers of the vector, scaled to length 1 again. Throws a 400 `ApiError` if the vector
 * has fewer.
 */
export function shorten(vector: number[], dimensions: number, model: ModelCard): number[] {
  if (dimensions === vector.length) return vector;
  if (dimensions > vector.length) {
    throw invalidRequest(
      `dimensions is ${dimensions}, but the embeddings of the model '${model.id}' have ${vector.length} dimensions.`,
      'dimensions',
    );
  }
  const kept = vector.slice(0, dimensions);
  const length = Math.hypot(...kept);
  return length > 0 ? kept.map((value) => value / length) : kept;
}

/** Writes the vector as 32-bit floats, little-endian on every machine. */
export function toFloat32(vector: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * vector.length));
  vector.forEach((value, index) => {
    view.setFloat32(4 * index, value, true);
  });
  return new Uint8Array(view.buffer);
}
