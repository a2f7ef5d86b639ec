import sharp from 'sharp';
import type { ImageSize } from '../image-size.ts';
import { undecodable } from '../problem.ts';

/** Only these of libvips' many readers are needed, and the others are not for bytes from anywhere. */
const LOADERS = ['Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}`);

/** For what is small as a file and in pixels but still takes for ever to decode. */
const DECODE_SECONDS = 30;

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
// Decoded images are not asked for again: the models' caches know them by their bytes.
sharp.cache(false);

/**
 * An image of up to `limitPixels`, upright, on white, as an sRGB PNG of the size that `scaled` gives.
 *
 * @throws MediaProblem when it is broken
 */
export async function toPng(
  image: Uint8Array,
  scaled: (size: ImageSize) => ImageSize,
  limitPixels: number,
): Promise<Uint8Array> {
  try {
    const source = sharp(image, { limitInputPixels: limitPixels, failOn: 'error', sequentialRead: true });
    const { autoOrient } = await source.metadata();
    return await source
      .autoOrient()
      .resize({ ...scaled(autoOrient), fit: 'fill' })
      .flatten({ background: 'white' })
      .toColourspace('srgb')
      .png({ compressionLevel: 1 })
      .timeout({ seconds: DECODE_SECONDS })
      .toBuffer();
  } catch {
    throw undecodable(image);
  }
}
