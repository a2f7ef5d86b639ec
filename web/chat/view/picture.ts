import { broken } from '../../../src/media/problem.ts';

/** The longer side of a picture as it is sent, in px: models look at fewer. */
const LONGEST = 1536;

/**
 * A picture as a JPEG in a data: URL, which every engine reads, small enough to be kept. Throws a `MediaProblem`
 * where the browser can't read it.
 */
export async function toPicture(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw broken('is no picture that the browser can read.');
  });
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('The browser can’t draw pictures.');
  // JPEG knows no transparency.
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.9);
}
