import { broken, fileTooLarge, type MediaProblem } from './problem.ts';

/**
 * Decodes base64, with or without padding and line ends: https://infra.spec.whatwg.org/#forgiving-base64-decode
 *
 * @throws MediaProblem for other characters, for an incomplete text, and for more than `limitBytes` bytes
 */
export function decodeBase64(text: string, limitBytes: number): Uint8Array {
  const characters = decode(text);
  if (characters.length > limitBytes) throw fileTooLarge(limitBytes);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}

/** Decodes base64 to a string with one character for each byte. */
function decode(text: string): string {
  try {
    return atob(text);
  } catch {
    throw whatIsWrong(text);
  }
}

function whatIsWrong(text: string): MediaProblem {
  const position = text.search(/[^A-Za-z0-9+/= \t\n\f\r]/);
  if (position === -1) return broken('is no whole base64: its length or its padding is wrong.');
  const character = text.charAt(position);
  const shown = /[!-~]/.test(character) ? `'${character}'` : `the character ${character.charCodeAt(0)}`;
  return broken(`is not in base64: it has ${shown} at position ${position}.`);
}
