import { MOST_PIXELS } from '../contract/media.ts';

/** The limits for one image or recording of a request. */
export interface MediaLimits {
  /** The largest file, in bytes. */
  fileBytes: number;
  /** The most pixels of an image. Checked by its header, before anything is decoded. */
  imagePixels: number;
  /** The longest side of an image, in pixels. */
  imageSide: number;
  /** The most pixels that the model gets. Larger images are scaled down. */
  scaledPixels: number;
  /** The longest recording, in seconds: even a small file may be a long recording. */
  audioSeconds: number;
  /** The longest time for fetching a file, in ms, from the DNS look-up to the last byte. */
  fetchMs: number;
  redirects: number;
}

/** Photographs of any telephone and half an hour of speech are within these limits. */
export const MEDIA_LIMITS: MediaLimits = {
  fileBytes: 20 * 1024 * 1024,
  imagePixels: 64_000_000,
  imageSide: 32_767,
  scaledPixels: MOST_PIXELS,
  audioSeconds: 1_800,
  fetchMs: 20_000,
  redirects: 5,
};
