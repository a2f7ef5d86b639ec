import { t } from '../messages/language.ts';

/** The length of a sent picture's longer side, in px. Models scale pictures down below that. */
const LONGEST = 1536;

/**
 * Converts a picture to a JPEG and returns it as a data: URL. Every engine reads JPEG, and a JPEG is small enough to
 * store. Throws an `Error` for people if the browser can't read the picture.
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
  // JPEG has no transparency, so transparent pixels become white.
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.9);
}
