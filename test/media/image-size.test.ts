import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readImageSize } from '../../src/media/image-size.ts';
import { IMAGES, makeAnimation, makeImage } from './fixtures.ts';

const SIZE = { width: 300, height: 20 };

describe('the size in the header', () => {
  it.each(IMAGES)('is read from a %s', async (type) => {
    expect(readImageSize(type, await makeImage(type, SIZE))).toEqual(SIZE);
  });

  it('is read from every kind of WebP', async () => {
    const canvas = sharp({ create: { ...SIZE, channels: 4, background: '#aa332280' } });
    expect(readImageSize('WebP', await canvas.clone().webp().toBuffer())).toEqual(SIZE);
    expect(readImageSize('WebP', await canvas.clone().webp({ lossless: true }).toBuffer())).toEqual(SIZE);
    expect(readImageSize('WebP', await makeAnimation('webp'))).toEqual({ width: 32, height: 32 });
  });

  it('is read from a progressive JPEG after a long EXIF segment', async () => {
    const plain = await sharp({ create: { ...SIZE, channels: 3, background: 'red' } })
      .jpeg({ progressive: true })
      .toBuffer();
    const segment = Buffer.alloc(60_000, 0xff);
    segment.set([0xff, 0xe1, 0xea, 0x5e]);
    const file = Buffer.concat([plain.subarray(0, 2), segment, Buffer.from([0xff]), plain.subarray(2)]);
    expect(readImageSize('JPEG', file)).toEqual(SIZE);
  });

  it('of a GIF is that of its first frame if this is larger', async () => {
    const file = await makeAnimation('gif');
    expect(readImageSize('GIF', file)).toEqual({ width: 32, height: 32 });
    const colours = 3 * 2 ** (((file[10] ?? 0) & 7) + 1);
    const frame = file.indexOf(0x2c, 13 + colours);
    file.writeUInt16LE(60_000, frame + 5);
    expect(readImageSize('GIF', file)).toEqual({ width: 60_000, height: 32 });
  });

  it('of an AVIF is that of its largest image', async () => {
    const file = await makeImage('AVIF', SIZE);
    const at = file.indexOf('ispe');
    file.writeUInt32BE(0x7fffffff, at + 8);
    expect(readImageSize('AVIF', file)).toEqual({ width: 0x7fffffff, height: 20 });
  });

  it.each(IMAGES)('is missing in a %s that is cut off, which is refused', async (type) => {
    const file = await makeImage(type, SIZE);
    for (let length = 12; length < 20; length++)
      expect(() => readImageSize(type, file.subarray(0, length))).toThrow(`is a broken ${type}: `);
  });

  it.each(IMAGES)('is not searched for endlessly in the beginning of a %s and noise', async (type) => {
    const start = (await makeImage(type, SIZE)).subarray(0, 16);
    for (const noise of [0x00, 0xff, 0x21, 0x0d]) {
      const file = Buffer.concat([start, Buffer.alloc(100_000, noise)]);
      try {
        expect(readImageSize(type, file)).toEqual({ width: expect.any(Number), height: expect.any(Number) });
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_media' });
      }
    }
  });
});
