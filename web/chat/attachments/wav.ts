const HEADER_BYTES = 44;

/**
 * Returns a mono recording as a WAV file with 16 bits per sample. Samples lie between -1 and 1; `rate` is in samples
 * per second.
 */
export function writeWav(samples: Float32Array, rate: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + 2 * samples.length);
  const view = new DataView(bytes.buffer);
  const text = (at: number, letters: string) => bytes.set(new TextEncoder().encode(letters), at);
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  // PCM, and one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, index) => {
    view.setInt16(HEADER_BYTES + 2 * index, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff), true);
  });
  return bytes;
}

/** Mixes channels of the same length into one. */
export function toMono(channels: Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels;
  return first.map((_, index) => channels.reduce((sum, one) => sum + (one[index] ?? 0), 0) / channels.length);
}
