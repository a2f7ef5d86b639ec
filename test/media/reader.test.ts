// @module-tag slow
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError } from '../../src/contract/errors.ts';
import type { MediaPart } from '../../src/contract/media.ts';
import { MEDIA_LIMITS, type MediaLimits } from '../../src/media/limits.ts';
import { createServerMediaReader } from '../../src/media/node/reader.ts';
import { BLUE, IMAGES, look, makeAnimation, makeBlackPng, makeImage, makeMp3, makeWav, RED } from './fixtures.ts';

const PARAM = 'messages[0].content[1]';
/** Small limits, so that the tests can use real files above them. */
const LIMITS: MediaLimits = { ...MEDIA_LIMITS, fileBytes: 100_000, imagePixels: 1_000_000, audioSeconds: 60 };
const CENTRES: [number, number][] = [
  [0.25, 0.5],
  [0.75, 0.5],
];

let server: Server;
let served: Buffer;

beforeAll(async () => {
  server = createServer((_, response) => response.end(served));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());

function read(part: MediaPart, limits = LIMITS) {
  const reader = createServerMediaReader({ allowPrivate: true, limits });
  return reader.read(part, PARAM, new AbortController().signal);
}

/** The ways in which a file can be part of a request. */
const CARRIERS = {
  base64: (file: Buffer) => `data:image/png;base64,${file.toString('base64')}`,
  'percent-encoded': (file: Buffer) => `data:image/png,${file.toString('hex').replace(/../g, '%$&')}`,
  URL: (file: Buffer) => {
    served = file;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
};

const carriers = Object.keys(CARRIERS) as (keyof typeof CARRIERS)[];
const readImage = (file: Buffer, carrier: keyof typeof CARRIERS = 'base64', limits = LIMITS) =>
  read({ kind: 'image', url: CARRIERS[carrier](file) }, limits);
const readAudio = (file: Buffer, format: 'wav' | 'mp3') =>
  read({ kind: 'audio', data: file.toString('base64'), format });

const refused = (code: string, message: string | RegExp) => ({
  data: { status: 400, type: 'invalid_request_error', param: PARAM, code, message: expect.stringMatching(message) },
});

describe.each(IMAGES.flatMap((type) => carriers.map((carrier) => ({ type, carrier }))))(
  'an image: $type by $carrier',
  ({ type, carrier }) => {
    it('becomes a PNG that looks the same', async () => {
      const media = await readImage(await makeImage(type, { width: 128, height: 64 }), carrier);
      expect(media.kind).toBe('image');
      const { colours, ...size } = await look(media.bytes, CENTRES);
      expect(size).toEqual({ width: 128, height: 64, channels: 3 });
      expectColours(colours, [RED, BLUE]);
    });

    it('is refused if it is cut off', async () => {
      const file = await makeImage(type, { width: 128, height: 64 });
      for (const part of [0.2, 0.5, 0.8, 0.95]) {
        const cut = file.subarray(0, Math.floor(file.length * part));
        await expect(readImage(cut, carrier)).rejects.toMatchObject(refused('invalid_media', / is (a )?broken /));
      }
    });

    it('is refused if it has another type', async () => {
      const message =
        /is not a PNG, JPEG, GIF, WebP or AVIF file: its first bytes are 52 49 46 46 .* as those of WAV\.$/;
      await expect(readImage(makeWav({ seconds: 0.1 }), carrier)).rejects.toMatchObject(
        refused('invalid_media', message),
      );
    });

    it('is refused if its file is too large', async () => {
      const file = Buffer.concat([await makeImage(type, { width: 128, height: 64 }), Buffer.alloc(100_000)]);
      const message = 'is larger than the limit of 100000 bytes.';
      await expect(readImage(file, carrier)).rejects.toMatchObject(refused('media_too_large', message));
    });

    it('is refused if it has too many pixels', async () => {
      const file = await makeImage(type, { width: 1250, height: 1000 });
      expect(file.length).toBeLessThan(LIMITS.fileBytes);
      const message = 'has 1250 x 1000 pixels, more than the limit of 1000000.';
      await expect(readImage(file, carrier)).rejects.toMatchObject(refused('media_too_large', message));
    });
  },
);

describe.each([
  { format: 'wav', file: makeWav({ seconds: 1 }), long: makeWav({ seconds: 90, rate: 1_000, bits: 8 }) },
  { format: 'mp3', file: makeMp3({ frames: 40, declared: 40 }), long: makeMp3({ frames: 1_300, kind: 'mpeg25' }) },
] as const)('a recording: $format', ({ format, file, long }) => {
  it('is passed on unchanged', async () => {
    const media = await readAudio(file, format);
    expect(media).toMatchObject({ kind: 'audio', format });
    expect(file.equals(media.bytes)).toBe(true);
  });

  it('is refused if it is cut off', async () => {
    for (const part of [0.2, 0.5, 0.8, 0.99]) {
      const cut = file.subarray(0, Math.floor(file.length * part));
      await expect(readAudio(cut, format)).rejects.toMatchObject(refused('invalid_media', 'is a broken'));
    }
  });

  it('is refused if it has another type', async () => {
    const image = await makeImage('PNG', { width: 8, height: 8 });
    const name = format.toUpperCase();
    const message = `The recording in .* is not the ${name} file that its format promises: its first bytes are 89 50 .* of PNG`;
    await expect(readAudio(image, format)).rejects.toMatchObject(refused('invalid_media', message));
  });

  it('is refused if its file is too large', async () => {
    const message = 'is larger than the limit of 100000 bytes.';
    const large = Buffer.concat([file, Buffer.alloc(100_000)]);
    await expect(readAudio(large, format)).rejects.toMatchObject(refused('media_too_large', message));
  });

  it('is refused if it is too long, even in a small file', async () => {
    expect(long.length).toBeLessThan(LIMITS.fileBytes);
    const message = /lasts (90|94) seconds, longer than the limit of 60\.$/;
    await expect(readAudio(long, format)).rejects.toMatchObject(refused('media_too_large', message));
  });
});

it('a recording of more than two channels is refused', async () => {
  const file = makeWav({ seconds: 0.1, channels: 6 });
  const message = 'has 6 channels: only mono and stereo are taken.';
  await expect(readAudio(file, 'wav')).rejects.toMatchObject(refused('invalid_media', message));
});

it('data that is not in base64 is refused', async () => {
  const part: MediaPart = { kind: 'audio', data: 'UklGR*', format: 'wav' };
  await expect(read(part)).rejects.toMatchObject(refused('invalid_media', `The recording in .* is not in base64`));
});

it('an empty file is refused', async () => {
  await expect(readImage(Buffer.alloc(0))).rejects.toMatchObject(refused('invalid_media', ': it is empty.'));
});

describe('a decompression bomb', { tags: 'slow' }, () => {
  it.each([
    ['of a billion pixels', { width: 32_000, height: 32_000 }, 'media_too_large'],
    ['that unpacks to more than its size', { width: 100, height: 100 }, 'image'],
  ])('%s takes little memory', async (_, size, wanted) => {
    const file = await makeBlackPng({ ...size, rawBytes: 300_000_000 });
    const before = process.resourceUsage().maxRSS;
    const outcome = await readImage(file, 'base64', MEDIA_LIMITS).then(
      ({ kind }) => kind,
      ({ data }: ApiError) => data.code,
    );
    expect(outcome).toBe(wanted);
    // maxRSS is in kilobytes.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(50_000);
  });

  it('that is larger than its header says is refused', async () => {
    const file = await makeImage('AVIF', { width: 1_250, height: 1_000 });
    const header = file.indexOf('ispe');
    file.writeUInt32BE(64, header + 8);
    file.writeUInt32BE(64, header + 12);
    await expect(readImage(file)).rejects.toMatchObject(refused('invalid_media', 'is broken and can not be decoded'));
  });
});

describe('the image that a model gets', () => {
  it('is upright', async () => {
    const file = await makeImage('JPEG', { width: 128, height: 64, orientation: 6 });
    const { colours, ...size } = await look((await readImage(file)).bytes, [
      [0.5, 0.25],
      [0.5, 0.75],
    ]);
    expect(size).toEqual({ width: 64, height: 128, channels: 3 });
    expectColours(colours, [RED, BLUE]);
  });

  it.each(['gif', 'webp'] as const)('is the first frame of an animated %s', async (type) => {
    const { colours, ...size } = await look((await readImage(await makeAnimation(type))).bytes, [[0.5, 0.5]]);
    expect(size).toMatchObject({ width: 32, height: 32 });
    expectColours(colours, [RED]);
  });

  it('has at most as many pixels as any projector needs, in the same shape', async () => {
    const file = await makeImage('PNG', { width: 4_000, height: 1_000 });
    const { bytes } = await readImage(file, 'base64', { ...LIMITS, imagePixels: 4_000_000, scaledPixels: 10_000 });
    const { colours, ...size } = await look(bytes, CENTRES);
    expect(size).toEqual({ width: 200, height: 50, channels: 3 });
    expectColours(colours, [RED, BLUE]);
  });

  it('is small if low detail is asked for', async () => {
    const url = CARRIERS.base64(await makeImage('PNG', { width: 1_000, height: 400 }));
    const { bytes } = await read({ kind: 'image', url, detail: 'low' });
    expect(await look(bytes, [])).toMatchObject({ width: 512, height: 204 });
  });

  it('is not enlarged', async () => {
    const { bytes } = await readImage(await makeImage('PNG', { width: 2, height: 1 }));
    expect(await look(bytes, [])).toMatchObject({ width: 2, height: 1 });
  });

  it('has a white background instead of transparency', async () => {
    const { default: sharp } = await import('sharp');
    const canvas = { width: 16, height: 16, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } };
    const file = await sharp({ create: canvas }).png().toBuffer();
    const { colours, channels } = await look((await readImage(file)).bytes, [[0.5, 0.5]]);
    expect({ colours, channels }).toEqual({ colours: [[255, 255, 255]], channels: 3 });
  });

  it('is the same for the same image, to the byte', async () => {
    const file = await makeImage('JPEG', { width: 128, height: 64 });
    const [first, second] = await Promise.all([readImage(file), readImage(file)]);
    expect(Buffer.from(first.bytes).equals(second.bytes)).toBe(true);
  });
});

it('an image with a side that is too long is refused', async () => {
  const file = await makeBlackPng({ width: 1, height: 40_000, rawBytes: 200_000 });
  const message = 'has 1 x 40000 pixels; no side may have more than 32767.';
  await expect(readImage(file)).rejects.toMatchObject(refused('media_too_large', message));
});

it('an image is not decoded if the client has left', async () => {
  const client = new AbortController();
  client.abort();
  const url = CARRIERS.base64(await makeImage('PNG', { width: 8, height: 8 }));
  const reader = createServerMediaReader({ allowPrivate: false });
  await expect(reader.read({ kind: 'image', url }, PARAM, client.signal)).rejects.toMatchObject({ name: 'AbortError' });
});

function expectColours(seen: number[][], wanted: number[][]): void {
  expect(seen).toEqual(wanted.map((colour) => colour.map((value) => expect.closeTo(value, -1.3))));
}
