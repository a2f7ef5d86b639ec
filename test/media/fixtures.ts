import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate } from 'node:zlib';
import sharp from 'sharp';
import type { ImageType } from '../../src/media/file-type.ts';

export const IMAGES = ['PNG', 'JPEG', 'GIF', 'WebP', 'AVIF'] as const satisfies ImageType[];

export const RED = [200, 30, 30];
export const BLUE = [30, 30, 200];

export interface TestImage {
  width: number;
  height: number;
  /** The EXIF orientation: 6 means a rotation to the right. */
  orientation?: number;
}

const made = new Map<string, Promise<Buffer>>();

/**
 * Makes an image whose left half is red and whose right half is blue, as stored. Equal images are encoded once; each
 * caller gets a copy.
 */
export async function makeImage(type: ImageType, image: TestImage): Promise<Buffer> {
  const key = JSON.stringify([type, image]);
  const making = made.get(key) ?? encodeImage(type, image);
  made.set(key, making);
  return Buffer.from(await making);
}

function encodeImage(type: ImageType, { width, height, orientation }: TestImage): Promise<Buffer> {
  const right = { create: { width: width / 2, height, channels: 3 as const, background: colour(BLUE) } };
  const image = sharp({ create: { width, height, channels: 3, background: colour(RED) } })
    .composite([{ input: right, left: width / 2, top: 0 }])
    .toFormat(type.toLowerCase() as 'png', type === 'AVIF' ? { effort: 0 } : {});
  return (orientation ? image.withMetadata({ orientation }) : image).toBuffer();
}

/** Makes an animation of two frames: a red one and a blue one. */
export async function makeAnimation(type: 'gif' | 'webp'): Promise<Buffer> {
  const frames = [RED, BLUE].map((background) =>
    sharp({ create: { width: 32, height: 32, channels: 3, background: colour(background) } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .toFormat(type)
    .toBuffer();
}

function colour([r = 0, g = 0, b = 0]: number[]) {
  return { r, g, b };
}

/** Returns the size of an image and the colours of some points. Points are given as fractions of the sides. */
export async function look(png: Uint8Array, points: [x: number, y: number][]) {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const colours = points.map(([x, y]) => {
    const pixel = Math.floor(y * info.height) * info.width + Math.floor(x * info.width);
    return [...data.subarray(pixel * info.channels, (pixel + 1) * info.channels)];
  });
  return { width: info.width, height: info.height, channels: info.channels, colours };
}

/** Makes a PNG of black pixels that unpacks to `rawBytes`, whatever size its header has. It is made piece by piece. */
export async function makeBlackPng(image: { width: number; height: number; rawBytes: number }): Promise<Buffer> {
  const { width, height, rawBytes } = image;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const pieces = Array<Buffer>(rawBytes / 100_000).fill(Buffer.alloc(100_000));
  const pixels = await buffer(Readable.from(pieces).pipe(createDeflate({ level: 9 })));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function crc32(bytes: Buffer): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

export interface TestWav {
  seconds: number;
  rate?: number;
  channels?: number;
  bits?: number;
  /** 1 is PCM. */
  codec?: number;
}

/** Makes a tone of 440 Hz; silence if the samples do not have 16 bits. */
export function makeWav({ seconds, rate = 16_000, channels = 1, bits = 16, codec = 1 }: TestWav): Buffer {
  const frameBytes = (channels * bits) / 8;
  const data = Buffer.alloc(Math.round(seconds * rate) * frameBytes);
  if (bits === 16)
    for (let at = 0; at < data.length; at += 2)
      data.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * Math.floor(at / frameBytes)) / rate)), at);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(codec, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * frameBytes, 28);
  header.writeUInt16LE(frameBytes, 32);
  header.writeUInt16LE(bits, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

/**
 * Frames of 128 kbit/s at 44.1 kHz, 64 kbit/s at 22.05 kHz and 8 kbit/s at 8 kHz. The last is mono, the others stereo.
 */
const MP3_FRAMES = {
  mpeg1: { header: [0xff, 0xfb, 0x90, 0x00], length: 417, side: 32 },
  mpeg2: { header: [0xff, 0xf3, 0x80, 0x00], length: 208, side: 17 },
  mpeg25: { header: [0xff, 0xe3, 0x18, 0xc0], length: 72, side: 9 },
};

export interface TestMp3 {
  frames: number;
  kind?: keyof typeof MP3_FRAMES;
  /** The number of frames that the info frame declares. */
  declared?: number;
  /** The length of an ID3 tag before the frames, in bytes. */
  tagBytes?: number;
}

/** Makes silence: frames without audio data. */
export function makeMp3({ frames, kind = 'mpeg1', declared, tagBytes }: TestMp3): Buffer {
  const { header, length, side } = MP3_FRAMES[kind];
  const frame = Buffer.alloc(length);
  frame.set(header);
  const parts = Array<Buffer>(frames).fill(frame);
  if (declared !== undefined) {
    const notes = Buffer.from(frame);
    notes.write('Xing', 4 + side, 'latin1');
    notes.writeUInt32BE(1, 8 + side);
    notes.writeUInt32BE(declared, 12 + side);
    parts.unshift(notes);
  }
  if (tagBytes !== undefined) {
    const tag = Buffer.alloc(10 + tagBytes, 0xff);
    tag.write('ID3\x04\0\0', 0, 'latin1');
    tag.set([0, 0, tagBytes >> 7, tagBytes & 0x7f], 6);
    parts.unshift(tag);
  }
  return Buffer.concat(parts);
}
