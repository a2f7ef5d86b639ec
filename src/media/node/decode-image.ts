import sharp from 'sharp';
import type { ImageSize } from '../image-size.ts';
import { undecodable } from '../problem.ts';

/** The loaders of libvips that may read bytes from clients. All others are blocked. */
const LOADERS = ['Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}`);

/** Some images are small as files and in pixels and still take minutes to decode. */
const DECODE_SECONDS = 30;

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
// A decoded image is not needed again: the KV cache recognises an image by its bytes.
sharp.cache(false);

/**
 * Decodes an image of up to `limitPixels` pixels. Returns an upright sRGB PNG on white, of the size that `scaled`
 * returns.
 *
 * @throws MediaProblem if the image is broken
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
