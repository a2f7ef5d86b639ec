import { textAt, viewOf } from './bytes.ts';
import type { ImageType } from './file-type.ts';
import { broken } from './problem.ts';

/** Width and height in pixels, as stored in the file. The image may still have to be rotated. */
export interface ImageSize {
  width: number;
  height: number;
}

/** Block types of GIF: https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;

/** Boxes of ISO media files. A number stands for the four letters of each name. */
const IMAGE_SIZE_BOX = boxName('ispe');
/** Boxes that contain other boxes, and the number of bytes before the first one. */
const CONTAINERS = new Map([
  [boxName('meta'), 4],
  [boxName('iprp'), 0],
  [boxName('ipco'), 0],
]);

const READERS: Record<ImageType, (view: DataView, bytes: Uint8Array) => ImageSize | null> = {
  PNG: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  JPEG: jpegSize,
  GIF: gifSize,
  WebP: webpSize,
  AVIF: (view) => avifSize(view, 0, view.byteLength),
};

/**
 * Reads an image's size from its header. Nothing is decoded.
 *
 * @throws MediaProblem if the header is incomplete or broken
 */
export function readImageSize(type: ImageType, bytes: Uint8Array): ImageSize {
  try {
    const size = READERS[type](viewOf(bytes), bytes);
    if (size && size.width > 0 && size.height > 0) return size;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw broken(`is a broken ${type}: it ends after ${bytes.length} bytes, within its header.`);
  }
  throw broken(`is a broken ${type}: its header tells no size.`);
}

/** The size is in the first start-of-frame segment: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.2 */
function jpegSize(view: DataView): ImageSize | null {
  let position = 2;
  while (view.getUint8(position) === 0xff) {
    const marker = view.getUint8(position + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(position + 5), width: view.getUint16(position + 7) };
    // A marker may have any number of 0xff bytes before it.
    position += marker === 0xff ? 1 : 2 + view.getUint16(position + 2);
  }
  return null;
}

/** Returns the size of the whole picture or of its first frame, whichever extends further. */
function gifSize(view: DataView): ImageSize | null {
  const flags = view.getUint8(10);
  let position = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  while (view.getUint8(position) === GIF_EXTENSION) {
    position += 2;
    for (let length = 1; length > 0; position += 1 + length) length = view.getUint8(position);
  }
  if (view.getUint8(position) !== GIF_IMAGE) return null;
  const reach = (offset: number) =>
    view.getUint16(position + offset, true) + view.getUint16(position + offset + 4, true);
  return {
    width: Math.max(view.getUint16(6, true), reach(1)),
    height: Math.max(view.getUint16(8, true), reach(3)),
  };
}

/**
 * There are three forms, simple, lossless and extended: https://developers.google.com/speed/webp/docs/riff_container
 */
function webpSize(view: DataView, bytes: Uint8Array): ImageSize | null {
  switch (textAt(bytes, 12, 4)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X': {
      const low = (position: number) => (view.getUint32(position, true) & 0xffffff) + 1;
      return { width: low(24), height: low(27) };
    }
    default:
      return null;
  }
}

/** Returns the size of the largest image in the file: https://aomediacodec.github.io/av1-avif */
function avifSize(view: DataView, start: number, end: number): ImageSize | null {
  let largest: ImageSize | null = null;
  for (let position = start; position + 8 <= end; ) {
    const length = view.getUint32(position) || end - position;
    if (length < 8) return null;
    const next = Math.min(position + length, end);
    const size = avifBoxSize(view, position, next);
    if (size && (!largest || size.width * size.height > largest.width * largest.height)) largest = size;
    position = next;
  }
  return largest;
}

function avifBoxSize(view: DataView, position: number, end: number): ImageSize | null {
  const name = view.getUint32(position + 4);
  if (name === IMAGE_SIZE_BOX) return { width: view.getUint32(position + 12), height: view.getUint32(position + 16) };
  const before = CONTAINERS.get(name);
  return before === undefined ? null : avifSize(view, position + 8 + before, end);
}

function boxName(text: string): number {
  return [...text].reduce((name, letter) => name * 256 + letter.charCodeAt(0), 0);
}
