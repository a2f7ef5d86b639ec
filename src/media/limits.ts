import { MOST_PIXELS } from '../core/media.ts';

/** What one image or recording of a request may be. */
export interface MediaLimits {
  /** Of the file, in bytes. */
  fileBytes: number;
  /** Of an image as its header has it, before anything of it is decoded. */
  imagePixels: number;
  /** Of either side of an image, in pixels. */
  imageSide: number;
  /** Of the image that goes to the model: larger ones are scaled down. */
  scaledPixels: number;
  /** Of a recording, whose file may be small for its length. */
  audioSeconds: number;
  /** For fetching a file, from the first look-up to its last byte, in ms. */
  fetchMs: number;
  redirects: number;
}

/** Room for the photograph of any telephone and for half an hour of speech. */
export const MEDIA_LIMITS: MediaLimits = {
  fileBytes: 20 * 1024 * 1024,
  imagePixels: 64_000_000,
  imageSide: 32_767,
  scaledPixels: MOST_PIXELS,
  audioSeconds: 1_800,
  fetchMs: 20_000,
  redirects: 5,
};
