import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaLibrary } from '../../src/engine/node/media-library.ts';
import { modelEntries, projectorEntries, writeSparse } from '../catalogue/node/fixtures.ts';
import { eventually } from '../kit/eventually.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let root: string;
let strict: RunningServer;
let open: RunningServer;
let web: Server;
const asked: string[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paddock-media-'));
  // These files have nothing but their headers.
  await writeSparse(join(root, 'eye', 'eye.gguf'), modelEntries());
  await writeSparse(join(root, 'eye', 'mmproj-eye.gguf'), projectorEntries(128));
  web = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('<!doctype html><title>no image</title>');
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const flags = ['--models', root, '--backend', 'cpu', '--threads', '1'];
  strict = await startServer(flags);
  open = await startServer([...flags, '--allow-private-media', '--media-limit', '1024']);
});
afterAll(async () => {
  await strict?.stop();
  await open?.stop();
  web?.close();
  await rm(root, { recursive: true });
});

const clientOf = ({ url }: RunningServer) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });

/** Returns the client's error for a request with this image. */
async function refusal(server: RunningServer, url: string) {
  const content = [
    { type: 'text' as const, text: "What's in this image?" },
    { type: 'image_url' as const, image_url: { url } },
  ];
  const asking = clientOf(server).chat.completions.create({ model: 'eye', messages: [{ role: 'user', content }] });
  return asking.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('a model with a projector', () => {
  it('is listed as taking images before it is loaded', async () => {
    expect(await clientOf(strict).models.retrieve('eye')).toMatchObject({
      engine: 'llama.cpp',
      backend: null,
      settings: { vision_model: true, mmproj: 'mmproj-eye.gguf' },
      capabilities: { vision: true, audio: false },
    });
  });

  it('is tried on WebAssembly, although another backend is configured, and the log says why', async () => {
    expect(await refusal(strict, PIXEL)).toMatchObject({ status: 500, code: 'model_load_failed' });
    // The log line may arrive after the reply.
    await eventually(() => expect(strict.log()).toContain('model could not be loaded'));
    const line =
      strict
        .log()
        .split('\n')
        .find((text) => text.includes('model could not be loaded')) ?? '';
    const library = findMediaLibrary();
    expect(JSON.parse(line)).toMatchObject(
      library.path === null
        ? { passedOver: [`cpu: the model has a projector, and ${library.reason}`], failures: [{ backend: 'wasm' }] }
        : { passedOver: [], failures: [{ backend: 'cpu' }, { backend: 'wasm' }] },
    );
  });
});

describe('an image of a request', () => {
  const param = 'messages[0].content[1]';
  const webPage = () => `http://127.0.0.1:${(web.address() as AddressInfo).port}/cat.png`;

  it('is refused with its first bytes if it is not an image', async () => {
    expect(await refusal(strict, 'data:image/png;base64,JVBERi0xLjc=')).toMatchObject({
      status: 400,
      code: 'invalid_media',
      param,
      message: expect.stringContaining('%PDF-1.7'),
    });
  });

  it('is not fetched from this machine', async () => {
    expect(await refusal(strict, webPage())).toMatchObject({ status: 400, code: 'media_forbidden', param });
    expect(asked).toEqual([]);
  });

  it('is fetched from there with --allow-private-media', async () => {
    expect(await refusal(open, webPage())).toMatchObject({
      status: 400,
      code: 'invalid_media',
      param,
      message: expect.stringContaining('HTML'),
    });
    expect(asked).toEqual(['/cat.png']);
  });

  it('is refused if it is larger than --media-limit', async () => {
    expect(await refusal(open, `data:image/png,${'x'.repeat(1025)}`)).toMatchObject({
      status: 400,
      code: 'media_too_large',
      param,
      message: expect.stringContaining('1024 bytes'),
    });
  });
});
