import { textAt, viewOf } from './bytes.ts';
import { broken } from './problem.ts';
import { wavOf } from './wav-writer.ts';

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
  /** The `fmt ` chunk itself, without its name and length. */
  chunk: Uint8Array;
}

/** The samples of a WAV, and the figures that describe them. */
interface Samples extends Format {
  /** The position of the first sample, and the number of bytes of all. */
  start: number;
  length: number;
}

/**
 * Checks a WAV file. If its header has no length, the right one is filled in.
 *
 * @throws MediaProblem if it is incomplete or its samples have an unknown form
 */
export function readWav(bytes: Uint8Array): CheckedRecording {
  const { start, length, declared, channels, rate, frameBytes } = findSamples(bytes);
  const whole = declared === UNKNOWN_LENGTH ? withLengths(bytes, start, length) : bytes;
  return { bytes: whole, channels, seconds: length / frameBytes / rate };
}

/** Returns the part of a checked WAV between two times in seconds, as a WAV. Throws as `readWav` does. */
export function cutWav(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const { start, length, rate, frameBytes, chunk } = findSamples(bytes);
  const at = (seconds: number) => Math.min(length, Math.round(seconds * rate) * frameBytes);
  return wavOf(chunk, bytes.subarray(start + at(from), start + at(to)));
}

/** Finds the samples. `declared` is the length in the header. Throws a `MediaProblem`. */
function findSamples(bytes: Uint8Array): Samples & { declared: number } {
  const view = viewOf(bytes);
  let format: Format | null = null;
  for (let position = 12; position + 8 <= bytes.length; ) {
    const id = textAt(bytes, position, 4);
    const length = view.getUint32(position + 4, true);
    const start = position + 8;
    if (id === 'data') return readSamples(bytes, start, length, format);
    if (start + length > bytes.length) throw cutOff(bytes, start + length);
    if (id === 'fmt ') format = readFormat(view, start, length, bytes);
    // Chunks begin at even positions.
    position = start + length + (length % 2);
  }
  throw broken(`is a broken WAV: it has ${bytes.length} bytes and no samples.`);
}

function readFormat(view: DataView, start: number, length: number, bytes: Uint8Array): Format {
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
  return { channels, rate, frameBytes, chunk: bytes.subarray(start, start + length) };
}

function readSamples(
  bytes: Uint8Array,
  start: number,
  length: number,
  format: Format | null,
): Samples & { declared: number } {
  if (!format) throw broken('is a broken WAV: its samples come before what describes them.');
  const there = bytes.length - start;
  if (length > there && length !== UNKNOWN_LENGTH) throw cutOff(bytes, start + length);
  const samples = Math.min(length, there);
  if (samples < format.frameBytes) throw broken('is a WAV without any samples.');
  return { ...format, start, length: samples, declared: length };
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
