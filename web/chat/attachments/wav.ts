import { monoWav } from '../../../src/media/wav-writer.ts';

/**
 * Returns a mono recording as a WAV file with 16 bits per sample. Samples lie between -1 and 1; `rate` is in samples
 * per second.
 */
export function writeWav(samples: Float32Array, rate: number): Uint8Array<ArrayBuffer> {
  const levels = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff));
  return monoWav(levels, rate);
}
