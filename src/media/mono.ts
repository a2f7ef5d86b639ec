/** Mixes channels of the same length into one. */
export function toMono(channels: Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels;
  if (channels.length <= 1) return first;
  return first.map((_, index) => channels.reduce((sum, one) => sum + (one[index] ?? 0), 0) / channels.length);
}
