import { describeBeginning } from './file-type.ts';

/** Why there is no media to be had. */
export type MediaProblemCode =
  /** The part holds no address and no data. */
  | 'invalid_media_url'
  /** Not what it should be, or broken. */
  | 'invalid_media'
  | 'media_too_large'
  | 'media_unreachable'
  /** An address that may not be asked. */
  | 'media_forbidden';

/** What is wrong with an image or a recording. Its message completes the sentence "The image ..." and may be shown to the client. */
export class MediaProblem extends Error {
  readonly code: MediaProblemCode;

  constructor(code: MediaProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The file is broken. */
export function broken(message: string): MediaProblem {
  return new MediaProblem('invalid_media', message);
}

export function tooLarge(message: string): MediaProblem {
  return new MediaProblem('media_too_large', message);
}

export function fileTooLarge(limitBytes: number): MediaProblem {
  return tooLarge(`is larger than the limit of ${limitBytes} bytes.`);
}

export function unreachable(message: string): MediaProblem {
  return new MediaProblem('media_unreachable', message);
}

/** The decoder gave up, whatever the header promised. */
export function undecodable(image: Uint8Array): MediaProblem {
  return broken(`is broken and can not be decoded: ${describeBeginning(image)}.`);
}
