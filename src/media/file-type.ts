import { hasText, textAt, viewOf } from './bytes.ts';

export type ImageType = 'PNG' | 'JPEG' | 'GIF' | 'WebP' | 'AVIF';
export type AudioType = 'WAV' | 'MP3';
/** Recordings that are decoded before a model gets them. */
export type CompressedAudio = 'FLAC' | 'Ogg';

export const IMAGE_TYPES: readonly string[] = ['PNG', 'JPEG', 'GIF', 'WebP', 'AVIF'] satisfies ImageType[];

/** True if a type found by its first bytes is an image that can be decoded. An unknown file has the type null. */
export function isImageType(type: string | null): type is ImageType {
  return type !== null && IMAGE_TYPES.includes(type);
}

/**
 * True if a type found by its first bytes is a recording that is converted to WAV first. MP3 is not: engines take it as
 * it is.
 */
export function isCompressedAudio(type: string | null): type is CompressedAudio {
  return type === 'FLAC' || type === 'Ogg';
}

/**
 * The first bytes of known files, the more specific ones first. Names other than an `ImageType`, an `AudioType` or
 * a `CompressedAudio` serve messages only.
 */
const SIGNATURES: [name: string, position: number, text: string][] = [
  ['PNG', 0, '\x89PNG\r\n\x1a\n'],
  ['JPEG', 0, '\xff\xd8\xff'],
  ['GIF', 0, 'GIF87a'],
  ['GIF', 0, 'GIF89a'],
  ['MP3', 0, 'ID3'],
  ['PDF', 0, '%PDF-'],
  ['TIFF', 0, 'II*\0'],
  ['TIFF', 0, 'MM\0*'],
  ['BMP', 0, 'BM'],
  ['ICO', 0, '\0\0\x01\0'],
  ['JPEG XL', 0, '\xff\x0a'],
  ['JPEG XL', 4, 'JXL '],
  ['JPEG 2000', 4, 'jP  '],
  ['FLAC', 0, 'fLaC'],
  ['Ogg', 0, 'OggS'],
  ['AIFF', 8, 'AIFF'],
  ['Matroska or WebM', 0, '\x1aE\xdf\xa3'],
  ['ZIP', 0, 'PK\x03\x04'],
  ['gzip', 0, '\x1f\x8b'],
];

/** The beginnings of known text files, without leading white space. */
const TEXT_SIGNATURES: [name: string, pattern: RegExp][] = [
  ['SVG', /^(<\?xml[^>]*>\s*)?<svg/i],
  ['XML', /^<\?xml/i],
  ['HTML', /^<(!doctype html|html|head|body)/i],
  ['JSON', /^[{[]\s*["\]{}[]/],
];

/** The brands of ISO media files: https://mp4ra.org/registered-types/brands */
const BRANDS: [name: string, brands: RegExp][] = [
  ['AVIF', /^avi[fs]$/],
  ['HEIC', /^(hei[cxms]|hev[cxms])$/],
  ['M4A', /^M4[AB] $/],
  ['MP4', /^(isom|iso\d|mp4\d|qt {2}|avc1)$/],
];

/** Returns the name of a file's type by its first bytes; null if the beginning is not known. */
export function typeOf(bytes: Uint8Array): string | null {
  if (hasText(bytes, 0, 'RIFF')) return { WEBP: 'WebP', WAVE: 'WAV' }[textAt(bytes, 8, 4)] ?? null;
  if (hasText(bytes, 4, 'ftyp')) return typeOfBrands(bytes);
  const signature = SIGNATURES.find(([, position, text]) => hasText(bytes, position, text));
  if (signature) return signature[0];
  if (isMp3Frame(bytes, 0)) return 'MP3';
  const text = textAt(bytes, 0, 200)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  return TEXT_SIGNATURES.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** Describes the beginning of a file for a message, in hexadecimal digits and as text. */
export function describeBeginning(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'it is empty';
  const first = [...bytes.subarray(0, 12)];
  const digits = first.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const text = first.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
  const type = typeOf(bytes);
  return `its first bytes are ${digits} ("${text}")${type === null ? '' : `, as those of ${type}`}`;
}

/** A file may have several brands. A type that Paddock accepts wins. */
function typeOfBrands(bytes: Uint8Array): string | null {
  const end = Math.min(viewOf(bytes).getUint32(0), bytes.length, 256);
  const brands = [textAt(bytes, 8, 4)];
  for (let position = 16; position + 4 <= end; position += 4) brands.push(textAt(bytes, position, 4));
  return BRANDS.find(([, pattern]) => brands.some((brand) => pattern.test(brand)))?.[0] ?? null;
}

/** True if an MPEG audio frame of layer III begins there. The version bits 01 are reserved. */
export function isMp3Frame(bytes: Uint8Array, position: number): boolean {
  const kind = bytes[position + 1] ?? 0;
  return bytes[position] === 0xff && (kind & 0xe6) === 0xe2 && (kind & 0x18) !== 0x08;
}
