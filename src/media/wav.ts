import { textAt, viewOf } from './bytes.ts';
import { broken } from './problem.ts';

/** A checked recording with the figures of its header. */
export interface CheckedRecording {
  bytes: Uint8Array;
  channels: number;
  seconds: number;
}

/** PCM, floating point, A-law, mu-law. An extensible format has one of these in the first bytes of its subformat. */
const CODECS = [1, 3, 6, 7];
const EXTENSIBLE = 0xfffe;

/** Programs that write the header before they know the length use this value. */
const UNKNOWN_LENGTH = 0xffffffff;

interface Format {
  channels: number;
  rate: number;
  frameBytes: number;
}

/**
 * Checks a WAV file. If its header has no length, the right one is filled in.
 *
 * @throws MediaProblem if it is incomplete or its samples have an unknown form
 */
export function readWav(bytes: Uint8Array): CheckedRecording {
  const view = viewOf(bytes);
  let format: Format | null = null;
  for (let position = 12; position + 8 <= bytes.length; ) {
    const id = textAt(bytes, position, 4);
    const length = view.getUint32(position + 4, true);
    const start = position + 8;
    if (id === 'data') return readSamples(bytes, start, length, format);
    if (start + length > bytes.length) throw cutOff(bytes, start + length);
    if (id === 'fmt ') format = readFormat(view, start, length);
    // Chunks begin at even positions.
    position = start + length + (length % 2);
  }
  throw broken(`is a broken WAV: it has ${bytes.length} bytes and no samples.`);
}

function readFormat(view: DataView, start: number, length: number): Format {
  if (length < 16) throw broken('is a broken WAV: the description of its samples is too short.');
  const tag = view.getUint16(start, true);
  const codec = tag === EXTENSIBLE && length >= 26 ? view.getUint16(start + 24, true) : tag;
  if (!CODECS.includes(codec))
    throw broken(`is a WAV whose samples are in a form that is not known here (0x${codec.toString(16)}): PCM is.`);
  const [channels, bits] = [view.getUint16(start + 2, true), view.getUint16(start + 14, true)];
  const rate = view.getUint32(start + 4, true);
  const frameBytes = view.getUint16(start + 12, true);
  if (rate === 0 || frameBytes === 0 || frameBytes * 8 !== channels * bits)
    throw broken(
      `is a broken WAV: ${channels} channels of ${bits} bits do not make ${frameBytes} bytes at ${rate} Hz.`,
    );
  return { channels, rate, frameBytes };
}

function readSamples(bytes: Uint8Array, start: number, length: number, format: Format | null): CheckedRecording {
  if (!format) throw broken('is a broken WAV: its samples come before what describes them.');
  const { channels, rate, frameBytes } = format;
  const there = bytes.length - start;
  if (length > there && length !== UNKNOWN_LENGTH) throw cutOff(bytes, start + length);
  const samples = Math.min(length, there);
  if (samples < frameBytes) throw broken('is a WAV without any samples.');
  const whole = length === UNKNOWN_LENGTH ? withLengths(bytes, start, samples) : bytes;
  return { bytes: whole, channels, seconds: samples / frameBytes / rate };
}

function withLengths(bytes: Uint8Array, start: number, samples: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  viewOf(copy).setUint32(4, bytes.length - 8, true);
  viewOf(copy).setUint32(start - 4, samples, true);
  return copy;
}

function cutOff(bytes: Uint8Array, wanted: number) {
  return broken(`is a broken WAV: it ends after ${bytes.length} of ${wanted} bytes.`);
}
