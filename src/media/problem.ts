import { describeBeginning } from './file-type.ts';

/** The reason why an image or a recording is refused. */
export type MediaProblemCode =
  /** The part has no address and no data. */
  | 'invalid_media_url'
  /** The file is broken or has the wrong type. */
  | 'invalid_media'
  | 'media_too_large'
  | 'media_unreachable'
  /** The address must not be contacted. */
  | 'media_forbidden';

/**
 * An image or a recording is refused. The message completes the sentence "The image ..." and may be shown to the
 * client.
 */
export class MediaProblem extends Error {
  readonly code: MediaProblemCode;

  constructor(code: MediaProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Makes the problem of a broken file. */
export function broken(message: string): MediaProblem {
  return new MediaProblem('invalid_media', message);
}

/** Makes the problem of media over a limit of bytes, pixels or seconds. */
export function tooLarge(message: string): MediaProblem {
  return new MediaProblem('media_too_large', message);
}

/** Makes the problem of a file with more bytes than the limit. */
export function fileTooLarge(limitBytes: number): MediaProblem {
  return tooLarge(`is larger than the limit of ${limitBytes} bytes.`);
}

/** Makes the problem of a URL from which no file could be fetched, for any reason but a forbidden address. */
export function unreachable(message: string): MediaProblem {
  return new MediaProblem('media_unreachable', message);
}

/** Makes the problem of an image that the decoder could not read, even if its header seemed right. */
export function undecodable(image: Uint8Array): MediaProblem {
  return broken(`is broken and can not be decoded: ${describeBeginning(image)}.`);
}
