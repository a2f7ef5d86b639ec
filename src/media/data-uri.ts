import { decodeBase64 } from './base64.ts';
import { fileTooLarge, MediaProblem } from './problem.ts';

const PERCENT = '%'.charCodeAt(0);

/**
 * Decodes a data URI in base64 or percent-encoding. The media type that it names is ignored, since the bytes show their
 * type. https://fetch.spec.whatwg.org/#data-urls
 *
 * @throws MediaProblem
 */
export function readDataUri(uri: string, limitBytes: number): Uint8Array {
  const comma = uri.indexOf(',');
  if (comma === -1) throw new MediaProblem('invalid_media_url', 'is a data URI without a comma before its data.');
  const isBase64 = /; *base64 *$/i.test(uri.slice('data:'.length, comma));
  const hash = uri.indexOf('#', comma);
  const text = uri.slice(comma + 1, hash === -1 ? undefined : hash);
  // If every byte is percent-encoded, the text is three times as long as the data.
  if (text.length > 3 * limitBytes + 3) throw fileTooLarge(limitBytes);
  if (isBase64 && !text.includes('%')) return decodeBase64(text, limitBytes);
  const bytes = decodePercent(new TextEncoder().encode(text));
  if (isBase64) return decodeBase64(new TextDecoder().decode(bytes), limitBytes);
  if (bytes.length > limitBytes) throw fileTooLarge(limitBytes);
  return bytes;
}

/** True if a URL has the scheme `data:`, in small or capital letters. The rest of it may still be invalid. */
export function isDataUri(url: string): boolean {
  return /^data:/i.test(url);
}

/** Decodes in place. A percent sign that is not followed by two hexadecimal digits stands for itself. */
function decodePercent(text: Uint8Array): Uint8Array {
  let written = text.indexOf(PERCENT);
  if (written === -1) return text;
  for (let index = written; index < text.length; index++) {
    const letter = text[index] as number;
    const value = letter === PERCENT ? 16 * digit(text[index + 1]) + digit(text[index + 2]) : Number.NaN;
    text[written++] = Number.isNaN(value) ? letter : value;
    if (!Number.isNaN(value)) index += 2;
  }
  return text.subarray(0, written);
}

/** Returns the value of a hexadecimal digit; NaN for any other character. */
function digit(letter = 0): number {
  if (letter >= 0x30 && letter <= 0x39) return letter - 0x30;
  const capital = letter & ~0x20;
  return capital >= 0x41 && capital <= 0x46 ? capital - 0x37 : Number.NaN;
}
