import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorData } from '../../../src/contract/errors.ts';
import type { Media, MediaPart } from '../../../src/contract/media.ts';
import { MEDIA_LIMITS, type MediaLimits } from '../../../src/media/limits.ts';
import { launchBrowser, type TestBrowser } from '../../kit/browser/browser.ts';
import { bundle } from '../../kit/browser/bundle.ts';
import { type StaticSite, startStaticSite } from '../../kit/browser/static-site.ts';
import {
  BLUE,
  IMAGES,
  look,
  makeAnimation,
  makeBlackPng,
  makeImage,
  makeMp3,
  makeWav,
  RED,
} from '../../media/fixtures.ts';

const TIME_LIMIT_MS = 120_000;
const PARAM = 'messages[0].content[1]';
const LIMITS: MediaLimits = { ...MEDIA_LIMITS, fileBytes: 100_000, imagePixels: 1_000_000, audioSeconds: 60 };

/** A service worker, which is where Paddock reads media, that does nothing else. */
const WORKER = `
import { createBrowserMediaReader } from './web/media/reader.ts';
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('message', async ({ data: { part, limits }, ports: [port] }) => {
  try {
    const media = await createBrowserMediaReader(limits).read(part, '${PARAM}', new AbortController().signal);
    port.postMessage({ media: { ...media, bytes: Array.from(media.bytes) } });
  } catch (error) {
    port.postMessage({ error: error.data ?? { message: String(error) } });
  }
});`;

const PAGE = `<!doctype html><html lang="en"><title>Media</title><script type="module">
await navigator.serviceWorker.register('/worker.js', { type: 'module' });
const { active } = await navigator.serviceWorker.ready;
globalThis.read = (part, limits) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => resolve(data);
  active.postMessage({ part, limits }, [port2]);
});
</script></html>`;

type Answer = { media: Media } | { error: ErrorData };

let site: StaticSite;
let browser: TestBrowser;
let page: Page;
/** A host of another origin. */
let host: Server;
let answer: RequestListener;

beforeAll(async () => {
  host = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  site = await startStaticSite({ folders: {}, files: { '/page.html': PAGE, '/worker.js': await bundle(WORKER) } });
  browser = await launchBrowser();
  page = await browser.open(`${site.url}/page.html`);
  await page.waitForFunction(() => 'read' in globalThis);
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  host?.closeAllConnections();
  host?.close();
});

async function read(part: MediaPart, limits = LIMITS): Promise<Media> {
  const answer: Answer = await page.evaluate(
    ([part, limits]) => (globalThis as unknown as { read: (...args: unknown[]) => Promise<Answer> }).read(part, limits),
    [part, limits] as const,
  );
  if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error);
  return { ...answer.media, bytes: Uint8Array.from(answer.media.bytes) };
}

const readImage = (file: Buffer, limits = LIMITS) =>
  read({ kind: 'image', url: `data:image/png;base64,${file.toString('base64')}` }, limits);
const readAudio = (file: Buffer, format: 'wav' | 'mp3') =>
  read({ kind: 'audio', data: file.toString('base64'), format });
const fetchImage = (limits = LIMITS) =>
  read({ kind: 'image', url: `http://127.0.0.1:${(host.address() as AddressInfo).port}/` }, limits);

const refused = (code: string, message: string | RegExp) => ({
  status: 400,
  param: PARAM,
  code,
  message: expect.stringMatching(message),
});

function expectColours(seen: number[][], wanted: number[][]): void {
  expect(seen).toEqual(wanted.map((colour) => colour.map((value) => expect.closeTo(value, -1.3))));
}

describe.each(IMAGES)('an image in a browser: %s', { timeout: TIME_LIMIT_MS }, (type) => {
  it('is a PNG that shows the same', async () => {
    const { bytes } = await readImage(await makeImage(type, { width: 128, height: 64 }));
    const { colours, width, height } = await look(bytes, [
      [0.25, 0.5],
      [0.75, 0.5],
    ]);
    expect({ width, height }).toEqual({ width: 128, height: 64 });
    expectColours(
      colours.map((colour) => colour.slice(0, 3)),
      [RED, BLUE],
    );
  });

  it('is fetched from a host that lets it', async () => {
    const file = await makeImage(type, { width: 128, height: 64 });
    answer = (_, response) => response.writeHead(200, { 'access-control-allow-origin': '*' }).end(file);
    expect(await look((await fetchImage()).bytes, [])).toMatchObject({ width: 128, height: 64 });
  });

  it('is refused when it is cut off', async () => {
    const file = await makeImage(type, { width: 128, height: 64 });
    for (const part of [0.2, 0.5, 0.8, 0.95]) {
      const cut = file.subarray(0, Math.floor(file.length * part));
      await expect(readImage(cut), `${part}`).rejects.toMatchObject(refused('invalid_media', / is (a )?broken /));
    }
  });

  it('is refused when it has more pixels than may be decoded', async () => {
    const file = await makeImage(type, { width: 1_250, height: 1_000 });
    const message = 'has 1250 x 1000 pixels, more than the limit of 1000000.';
    await expect(readImage(file)).rejects.toMatchObject(refused('media_too_large', message));
  });
});

describe('what a model gets of an image in a browser', { timeout: TIME_LIMIT_MS }, () => {
  it('is upright', async () => {
    const { bytes } = await readImage(await makeImage('JPEG', { width: 128, height: 64, orientation: 6 }));
    const { colours, width, height } = await look(bytes, [
      [0.5, 0.25],
      [0.5, 0.75],
    ]);
    expect({ width, height }).toEqual({ width: 64, height: 128 });
    expectColours(
      colours.map((colour) => colour.slice(0, 3)),
      [RED, BLUE],
    );
  });

  it.each(['gif', 'webp'] as const)('is the first frame of an animated %s', async (type) => {
    const { colours, ...size } = await look((await readImage(await makeAnimation(type))).bytes, [[0.5, 0.5]]);
    expect(size).toMatchObject({ width: 32, height: 32 });
    expectColours(
      colours.map((colour) => colour.slice(0, 3)),
      [RED],
    );
  });

  it('has no more pixels than any projector needs, in the same shape', async () => {
    const limits = { ...LIMITS, imagePixels: 4_000_000, scaledPixels: 10_000 };
    const { bytes } = await readImage(await makeImage('PNG', { width: 4_000, height: 1_000 }), limits);
    expect(await look(bytes, [])).toMatchObject({ width: 200, height: 50 });
  });

  it('has white where the image lets through what is behind it', async () => {
    const { default: sharp } = await import('sharp');
    const canvas = { width: 16, height: 16, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } };
    const { bytes } = await readImage(await sharp({ create: canvas }).png().toBuffer());
    expect((await look(bytes, [[0.5, 0.5]])).colours[0]?.slice(0, 3)).toEqual([255, 255, 255]);
  });

  it('is nothing of a decompression bomb', async () => {
    const file = await makeBlackPng({ width: 32_000, height: 32_000, rawBytes: 50_000_000 });
    await expect(readImage(file, MEDIA_LIMITS)).rejects.toMatchObject(
      refused('media_too_large', '32000 x 32000 pixels'),
    );
  });
});

describe('a recording in a browser', { timeout: TIME_LIMIT_MS }, () => {
  it.each([
    ['wav', makeWav({ seconds: 0.2 })],
    ['mp3', makeMp3({ frames: 10, declared: 10 })],
  ] as const)('is the file itself: %s', async (format, file) => {
    const media = await readAudio(file, format);
    expect(file.equals(media.bytes)).toBe(true);
    const cut = file.subarray(0, file.length - 10);
    await expect(readAudio(cut, format)).rejects.toMatchObject(refused('invalid_media', 'is a broken'));
  });
});

describe('a file that a browser fetches', { timeout: TIME_LIMIT_MS }, () => {
  const CORS = { 'access-control-allow-origin': '*' };

  it('is not to be had of a host that lets no other site read it', async () => {
    answer = (_, response) => response.end('file');
    const message = 'its host is down, or lets no page of another site read its files';
    await expect(fetchImage()).rejects.toMatchObject(refused('media_unreachable', message));
  });

  it('is asked for without anything that tells who asks', async () => {
    const headers = new Promise<object>((resolve) => {
      answer = (request, response) => {
        resolve(request.headers);
        response.writeHead(200, CORS).end('file');
      };
    });
    await expect(fetchImage()).rejects.toMatchObject(refused('invalid_media', '66 69 6c 65 \\("file"\\)'));
    const names = Object.keys(await headers);
    expect(names).toContain('accept');
    expect(names.filter((name) => ['cookie', 'referer', 'authorization'].includes(name))).toEqual([]);
  });

  it('answered with an error is not there', async () => {
    answer = (_, response) => response.writeHead(404, CORS).end();
    await expect(fetchImage()).rejects.toMatchObject(refused('media_unreachable', 'answered with status 404'));
  });

  it.each([
    ['says that it is', { 'content-length': '100001' }],
    ['turns out to be', {}],
  ])('is let go of when it %s too large', async (_, headers) => {
    const closed = new Promise<void>((resolve) => {
      answer = (request, response) => {
        request.socket.once('close', resolve);
        // Without an end.
        response
          .writeHead(200, { ...CORS, ...headers })
          .write(Buffer.alloc('content-length' in headers ? 10 : 200_000));
      };
    });
    await expect(fetchImage()).rejects.toMatchObject(refused('media_too_large', 'larger than the limit of 100000'));
    await closed;
  });

  it('that does not end is given up in time', async () => {
    answer = (_, response) => response.writeHead(200, CORS).write('abc');
    const limits = { ...LIMITS, fetchMs: 300 };
    await expect(fetchImage(limits)).rejects.toMatchObject(refused('media_unreachable', 'has not come within 0.3 s.'));
  });
});
