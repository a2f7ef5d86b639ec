import { t } from '../messages/language.ts';

/** The longer side of a sent picture, in px. Models are shown fewer pixels than that. */
const LONGEST = 1536;

/**
 * Turns a picture into a JPEG as a data: URL. Every engine reads JPEG, and it is small enough to store. Throws an
 * `Error` for people if the browser can't read the picture.
 */
export async function toPicture(file: Blob, name: string): Promise<string> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(t('files.notDecoded', { name }));
  });
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error(t('files.cannotDraw'));
  // JPEG has no transparency.
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.9);
}
