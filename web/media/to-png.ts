import type { ImageSize } from '../../src/media/image-size.ts';
import { undecodable } from '../../src/media/problem.ts';

/**
 * Returns the first frame of an image as a PNG on white, in the size that `scaled` gives, turned as the EXIF data ask.
 *
 * @throws MediaProblem if the image is broken
 */
export async function toPng(image: Uint8Array, scaled: (size: ImageSize) => ImageSize): Promise<Uint8Array> {
  const bitmap = await createImageBitmap(new Blob([image as Uint8Array<ArrayBuffer>])).catch(() => {
    throw undecodable(image);
  });
  try {
    const { width, height } = scaled(bitmap);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser has no canvas to draw on.');
    context.fillStyle = 'white';
    context.fillRect(0, 0, width, height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    const png = await canvas.convertToBlob({ type: 'image/png' });
    return new Uint8Array(await png.arrayBuffer());
  } finally {
    bitmap.close();
  }
}
