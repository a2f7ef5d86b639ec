/** Scales a vector to length 1, as clients expect of embeddings. A zero vector stays as it is. */
export function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : [...vector];
}
