import { hasText, viewOf } from '../../bytes.ts';
import { broken, tooLarge } from '../../problem.ts';
import { readFrame, type StreamInfo } from './flac-frame.ts';
import { createMonoWriter } from './mono-writer.ts';

/** The bytes of `fLaC` and of STREAMINFO, the first block, with its header. */
export const FLAC_HEADER_BYTES = 42;

/**
 * Decodes a FLAC, frame by frame: https://www.rfc-editor.org/rfc/rfc9639. Its header is checked first. Throws a `MediaProblem` if the file is
 * broken or too long.
 */
export function decodeFlac(file: Uint8Array, limitSeconds: number): Uint8Array {
  const info = readInfo(file, limitSeconds);
  const writer = createMonoWriter(limitSeconds);
  for (let at = endOfBlocks(file); at < file.length; ) {
    const { channels, rate, bits, end } = readFrame(file, at, info);
    const scale = 2 ** (bits - 1);
    writer.add(
      channels.map((samples) => Float32Array.from(samples, (sample) => sample / scale)),
      rate,
    );
    at = end;
  }
  return writer.end();
}

/** Reads the figures in STREAMINFO. The number of samples may be 0, which means that it is unknown. */
function readInfo(file: Uint8Array, limitSeconds: number): StreamInfo {
  if (!hasText(file, 0, 'fLaC') || file.length < FLAC_HEADER_BYTES || ((file[4] ?? 0) & 0x7f) !== 0)
    throw broken('is a broken FLAC: its header is not whole.');
  const figures = viewOf(file).getBigUint64(18);
  const rate = Number(figures >> 44n);
  const channels = Number((figures >> 41n) & 7n) + 1;
  const bits = Number((figures >> 36n) & 31n) + 1;
  const samples = Number(figures & 0xfffffffffn);
  if (rate === 0) throw broken('is a broken FLAC: its sample rate is 0.');
  if (channels > 2) throw broken(`has ${channels} channels: only mono and stereo are taken.`);
  if (samples / rate > limitSeconds)
    throw tooLarge(`lasts ${Math.ceil(samples / rate)} seconds, longer than the limit of ${limitSeconds}.`);
  return { rate, bits };
}

/** Returns the position after the last metadata block. */
function endOfBlocks(file: Uint8Array): number {
  const view = viewOf(file);
  for (let at = 4; at + 4 <= file.length; ) {
    const head = view.getUint32(at);
    at += 4 + (head & 0xffffff);
    if (head >>> 31 === 1) return at;
  }
  throw broken('is a broken FLAC: it has no frames.');
}
