import { hasText, viewOf } from './bytes.ts';
import { isMp3Frame } from './file-type.ts';
import { broken } from './problem.ts';
import type { CheckedRecording } from './wav.ts';

/** Bit rates in kbit/s, by the header's bits: https://www.mp3-tech.org/programmer/frame_header.html */
const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Sample rates of MPEG 1 in Hz. MPEG 2 has half of them, and MPEG 2.5 a quarter. */
const RATES = [44_100, 48_000, 32_000];

interface Frame {
  /** The length in bytes, header included. */
  length: number;
  channels: number;
  seconds: number;
  /** The number of bytes from the beginning of the frame to the audio data. */
  sideBytes: number;
}

/**
 * Walks through the frames of an MP3 file to find its duration, which is written nowhere in it.
 *
 * @throws MediaProblem if it has no frames, has fewer than it declares, or ends within a frame
 */
export function readMp3(bytes: Uint8Array): CheckedRecording {
  const { channels, seconds } = walk(bytes);
  return { bytes, channels, seconds };
}

/** Returns the whole frames between two times of a checked MP3, in seconds. Throws as `readMp3` does. */
export function cutMp3(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  walk(bytes, ({ length, seconds: lasts }, position, seconds) => {
    if (seconds + lasts > from && seconds < to) pieces.push(bytes.subarray(position, position + length));
  });
  const part = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const piece of pieces) {
    part.set(piece, position);
    position += piece.length;
  }
  return part;
}

/** Walks through the frames. `visit` gets each frame with its position and the time at which it begins, in seconds. */
function walk(
  bytes: Uint8Array,
  visit: (frame: Frame, position: number, seconds: number) => void = () => {},
): { channels: number; seconds: number } {
  let position = skipTags(bytes);
  let first: { frame: Frame; position: number } | null = null;
  let frames = 0;
  let seconds = 0;
  let inStep = false;
  while (position + 4 <= bytes.length) {
    const frame = readFrame(bytes, position);
    // A real header has another one where the next frame should begin.
    if (!frame || (!inStep && !readFrame(bytes, position + frame.length))) {
      inStep = false;
      position += 1;
      continue;
    }
    if (position + frame.length > bytes.length)
      throw broken(`is a broken MP3: it ends after ${bytes.length} bytes, within its frame ${frames + 1}.`);
    first ??= { frame, position };
    inStep = true;
    if (!isInfo(bytes, position, frame)) visit(frame, position, seconds);
    frames += 1;
    seconds += frame.seconds;
    position += frame.length;
  }
  if (!first) throw broken('is a broken MP3: it has no two frames after one another.');
  const declared = declaredFrames(bytes, first.position, first.frame);
  if (declared > frames)
    throw broken(`is a broken MP3: it has ${frames} of the ${declared} frames that it should have.`);
  return { channels: first.frame.channels, seconds };
}

/** Skips the ID3v2 tags. There may be several: https://id3.org/id3v2.4.0-structure */
function skipTags(bytes: Uint8Array): number {
  let position = 0;
  while (hasText(bytes, position, 'ID3') && position + 10 <= bytes.length) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(position + 6, position + 10);
    position += 10 + ((a << 21) | (b << 14) | (c << 7) | d);
  }
  return position;
}

function readFrame(bytes: Uint8Array, position: number): Frame | null {
  if (!isMp3Frame(bytes, position)) return null;
  const rates = bytes[position + 2] ?? 0;
  const mode = bytes[position + 3] ?? 0;
  const version = ((bytes[position + 1] ?? 0) >> 3) & 3;
  const isFirst = version === 3;
  const bitrate = (isFirst ? BITRATES_1 : BITRATES_2)[rates >> 4];
  const rate = RATES[(rates >> 2) & 3];
  // If the bit rate is 0, the header does not tell the frame's length.
  if (!bitrate || !rate) return null;
  const hz = rate / (isFirst ? 1 : version === 2 ? 2 : 4);
  const samples = isFirst ? 1152 : 576;
  const isMono = mode >> 6 === 3;
  return {
    length: Math.floor((samples / 8) * 1000 * (bitrate / hz)) + ((rates >> 1) & 1),
    channels: isMono ? 1 : 2,
    seconds: samples / hz,
    sideBytes: 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17),
  };
}

/**
 * Returns the number of frames that the encoder's info frame declares, itself not counted; 0 if there is no such frame.
 */
function declaredFrames(bytes: Uint8Array, position: number, frame: Frame): number {
  if (!isInfo(bytes, position, frame)) return 0;
  const start = position + frame.sideBytes;
  const view = viewOf(bytes);
  return view.getUint32(start + 4) & 1 ? view.getUint32(start + 8) : 0;
}

/** True if the frame holds figures of the encoder and no sound. A part of a file would be taken for a broken whole with it. */
function isInfo(bytes: Uint8Array, position: number, { sideBytes }: Frame): boolean {
  const start = position + sideBytes;
  return hasText(bytes, start, 'Xing') || hasText(bytes, start, 'Info');
}
