import { viewOf } from './bytes.ts';

// Apart from wav.ts, since the chat page writes WAV files and reads none at its start.

/** The bytes of a header with a single `fmt ` chunk of the usual length. */
const HEADER_BYTES = 44;

/** Returns a mono WAV of these samples. `rate` is in samples per second. */
export function monoWav(samples: Int16Array, rate: number): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(16);
  const view = viewOf(chunk);
  // PCM, one channel.
  view.setUint16(0, 1, true);
  view.setUint16(2, 1, true);
  view.setUint32(4, rate, true);
  view.setUint32(8, 2 * rate, true);
  view.setUint16(12, 2, true);
  view.setUint16(14, 16, true);
  return wavOf(chunk, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
}

/** Makes a WAV of a `fmt ` chunk and of samples. */
export function wavOf(chunk: Uint8Array, samples: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = HEADER_BYTES - 16 + chunk.length;
  const file = new Uint8Array(header + samples.length);
  const view = viewOf(file);
  file.set(new TextEncoder().encode('RIFF\0\0\0\0WAVEfmt '));
  view.setUint32(4, file.length - 8, true);
  view.setUint32(16, chunk.length, true);
  file.set(chunk, 20);
  file.set(new TextEncoder().encode('data'), header - 8);
  view.setUint32(header - 4, samples.length, true);
  file.set(samples, header);
  return file;
}
