import { invalidRequest } from '../contract/errors.ts';
import type { LongRecording, Media, MediaPart, MediaReader } from '../contract/media.ts';
import { decodeBase64 } from './base64.ts';
import { isDataUri, readDataUri } from './data-uri.ts';
import { type CompressedAudio, describeBeginning, isCompressedAudio, isImageType, typeOf } from './file-type.ts';
import { type ImageSize, readImageSize } from './image-size.ts';
import type { MediaLimits } from './limits.ts';
import { cutMp3, readMp3 } from './mp3.ts';
import { broken, fileTooLarge, MediaProblem, tooLarge } from './problem.ts';
import { type CheckedRecording, cutWav, readWav } from './wav.ts';

type ImagePart = Extract<MediaPart, { kind: 'image' }>;

/** The longest side of an image that is asked for with low detail, in pixels. */
const LOW_DETAIL_SIDE = 512;

/** The parts of a media reader that depend on the platform. */
export interface MediaGround {
  /** Fetches the file at an http(s) URL. Throws a `MediaProblem`. */
  fetchFile(url: URL, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Decodes an image. Returns an upright PNG on white, at most as large as `scaled` returns for the image's size.
   * Throws a `MediaProblem` if the image is broken.
   */
  toPng(image: Uint8Array, scaled: (size: ImageSize) => ImageSize): Promise<Uint8Array>;
  /**
   * Decodes a compressed recording to a mono WAV of 16 bits. Throws a `MediaProblem` if it is broken or too long. Absent if
   * this platform can't.
   */
  toWav?(file: Uint8Array, type: CompressedAudio, signal: AbortSignal): Promise<Uint8Array>;
}

/**
 * Makes a reader that fetches and checks the images and recordings of requests. It decodes one image at a time, so that
 * it never needs the memory of two.
 */
export function createMediaReader(ground: MediaGround, limits: MediaLimits): MediaReader {
  let last: Promise<unknown> = Promise.resolve();
  const toPng = (file: Uint8Array, detail: ImagePart['detail'], signal: AbortSignal): Promise<Uint8Array> => {
    const side = detail === 'low' ? LOW_DETAIL_SIDE : limits.imageSide;
    const turn = last.then(() => {
      signal.throwIfAborted();
      return ground.toPng(file, (size) => fitInto(size, limits.scaledPixels, side));
    });
    last = turn.catch(() => {});
    return turn;
  };
  return {
    read: (part, param, signal) =>
      named(part.kind === 'image' ? 'image' : 'recording', param, signal, async () =>
        part.kind === 'image'
          ? { kind: 'image', bytes: await toPng(await readImage(ground, limits, part, signal), part.detail, signal) }
          : readAudio(part.data, part.format, limits),
      ),
    openRecording: (file, param, signal) =>
      named('recording', param, signal, () => openRecording(ground, limits, file, signal)),
  };
}

/** Does the work. A `MediaProblem` becomes a 400 `ApiError` that names the field. */
async function named<T>(
  what: 'image' | 'recording',
  param: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof MediaProblem)) throw error;
    throw invalidRequest(`The ${what} in ${param} ${error.message}`, param, error.code);
  }
}

async function openRecording(
  { toWav }: MediaGround,
  limits: MediaLimits,
  file: Uint8Array,
  signal: AbortSignal,
): Promise<LongRecording> {
  if (file.length > limits.fileBytes) throw fileTooLarge(limits.fileBytes);
  const type = typeOf(file);
  if (isCompressedAudio(type)) {
    if (!toWav) throw broken(`is a file of ${type}, which only a server can read: here, send WAV or MP3.`);
    return toLongRecording(await toWav(file, type, signal), 'wav', limits);
  }
  if (type !== 'WAV' && type !== 'MP3')
    throw broken(`is not a WAV, MP3, FLAC or Ogg file: ${describeBeginning(file)}.`);
  return toLongRecording(file, type === 'WAV' ? 'wav' : 'mp3', limits);
}

function toLongRecording(file: Uint8Array, format: 'wav' | 'mp3', limits: MediaLimits): LongRecording {
  const { bytes, seconds } = readRecording(file, format, limits);
  const cut = format === 'wav' ? cutWav : cutMp3;
  return {
    seconds,
    cut: (from, to) => ({
      kind: 'audio',
      format,
      data: from <= 0 && to >= seconds ? bytes : cut(bytes, from, to),
    }),
  };
}

/** Returns the file of an image once its size is checked. Throws a `MediaProblem`. */
async function readImage(
  ground: MediaGround,
  limits: MediaLimits,
  { url }: ImagePart,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const file = isDataUri(url) ? readDataUri(url, limits.fileBytes) : await ground.fetchFile(parseUrl(url), signal);
  const type = typeOf(file);
  if (!isImageType(type)) throw broken(`is not a PNG, JPEG, GIF, WebP or AVIF file: ${describeBeginning(file)}.`);
  checkSize(readImageSize(type, file), limits);
  return file;
}

function readAudio(data: string | Uint8Array, format: 'wav' | 'mp3', limits: MediaLimits): Media {
  const file = typeof data === 'string' ? decodeBase64(data, limits.fileBytes) : data;
  const { bytes } = readRecording(file, format, limits);
  return { kind: 'audio', format, bytes };
}

/** Checks the file of a recording. Throws a `MediaProblem`. */
export function readRecording(
  file: Uint8Array,
  format: 'wav' | 'mp3',
  { audioSeconds }: MediaLimits,
): CheckedRecording {
  const type = format === 'wav' ? 'WAV' : 'MP3';
  if (typeOf(file) !== type)
    throw broken(`is not the ${type} file that its format promises: ${describeBeginning(file)}.`);
  const recording = format === 'wav' ? readWav(file) : readMp3(file);
  const { channels, seconds } = recording;
  if (channels < 1 || channels > 2) throw broken(`has ${channels} channels: only mono and stereo are taken.`);
  if (seconds > audioSeconds)
    throw tooLarge(`lasts ${Math.ceil(seconds)} seconds, longer than the limit of ${audioSeconds}.`);
  return recording;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new MediaProblem('invalid_media_url', 'has no URL that begins with http:, https: or data:.');
  if (url.username !== '' || url.password !== '')
    throw new MediaProblem('invalid_media_url', 'has a URL with a user name or a password, which are not sent.');
  return url;
}

/** Checks the size in an image's header. Throws a `MediaProblem`. */
export function checkSize({ width, height }: ImageSize, { imagePixels, imageSide }: MediaLimits): void {
  if (width * height > imagePixels)
    throw tooLarge(`has ${width} x ${height} pixels, more than the limit of ${imagePixels}.`);
  if (Math.max(width, height) > imageSide)
    throw tooLarge(`has ${width} x ${height} pixels; no side may have more than ${imageSide}.`);
}

/**
 * Returns the largest size of the same shape with at most this many pixels in all and on a side. Images are never
 * enlarged.
 */
export function fitInto({ width, height }: ImageSize, pixels: number, side: number): ImageSize {
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)), side / Math.max(width, height));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
