import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseHttp } from '../../src/server/http.ts';
import { type Server, startHttpServer } from '../../src/server/server.ts';
import { openStaticFiles } from '../../src/server/static.ts';
import { listSite } from '../../src/site-files.ts';

const HOST = '127.0.0.1';
const PAGE = '<!doctype html><title>Paddock</title>';

let folder: string;
let server: Server;
let bare: Server;
let url: string;

describe.each(['auto', 'node'])('with the HTTP server of choice %s', (wanted) => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-static-'));
    await mkdir(join(folder, 'web', 'assets'), { recursive: true });
    await mkdir(join(folder, 'web', 'v1'));
    await mkdir(join(folder, 'web', 'diagrams'));
    await mkdir(join(folder, 'web', 'mcp'));
    await writeFile(join(folder, 'web', 'mcp', 'worker.js'), 'run()');
    await mkdir(join(folder, 'web', 'paddock'));
    await writeFile(join(folder, 'web', 'paddock', 'engine-worker.js'), 'run()');
    await writeFile(join(folder, 'web', 'diagrams', 'index.html'), PAGE);
    await writeFile(join(folder, 'secret.txt'), 'not to be served');
    await writeFile(join(folder, 'web', 'index.html'), PAGE);
    await writeFile(join(folder, 'web', 'health'), 'a file');
    await writeFile(join(folder, 'web', 'v1', 'models'), 'a file');
    const assets = {
      'chat.js': 'run()',
      'chat.css': 'p{}',
      'engine.wasm': '\0asm',
      'icon.svg': '<svg/>',
      'pico.gguf': 'GGUF',
    };
    for (const [name, text] of Object.entries(assets)) await writeFile(join(folder, 'web', 'assets', name), text);
    const api = async ({ method, path }: { method: string; path: string }) => ({
      status: 418,
      headers: {},
      body: `the API: ${method} ${path}`,
    });
    const options = {
      api,
      host: HOST,
      port: 0,
      http: chooseHttp(wanted),
      allowedHosts: [],
      bodyLimits: { bytes: 1024, inFlightBytes: 1024, timeMs: 1000 },
    };
    server = await startHttpServer({ ...options, files: openStaticFiles(await listSite(join(folder, 'web'))) });
    bare = await startHttpServer({ ...options, files: openStaticFiles(new Map()) });
    url = `http://${HOST}:${server.port}`;
  });
  afterAll(async () => {
    await server?.close(0);
    await bare?.close(0);
    await rm(folder, { recursive: true });
  });

  /** Returns the first line of the reply to a raw request, which no client has normalized. */
  function statusOf(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(server.port, HOST);
      socket.once('error', reject).once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
      socket.write(`GET ${request} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
  }

  /** Gets the bytes as they come: `fetch` would decompress them. */
  function get(path: string, headers: Record<string, string>) {
    return new Promise<{ status?: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const request = httpGet({ host: HOST, port: server.port, path, headers }, async (response) => {
        const { statusCode: status, headers } = response;
        resolve({ ...(status && { status }), headers, body: Buffer.concat(await response.toArray()) });
      });
      request.once('error', reject);
    });
  }

  describe('the files beside the API', () => {
    it('are the page at / and each file under its name, with its type', async () => {
      for (const path of ['/', '/index.html', '/?from=somewhere']) {
        const response = await fetch(url + path);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(await response.text()).toBe(PAGE);
      }
      const types = await Promise.all(
        ['chat.js', 'chat.css', 'engine.wasm', 'icon.svg', 'pico.gguf'].map(async (name) => {
          const response = await fetch(`${url}/assets/${name}`);
          expect(response.status).toBe(200);
          return response.headers.get('content-type');
        }),
      );
      expect(types).toEqual([
        'text/javascript; charset=utf-8',
        'text/css; charset=utf-8',
        'application/wasm',
        'image/svg+xml',
        'application/octet-stream',
      ]);
    });

    it('let a page run its own files only, and be framed by none', async () => {
      const { headers } = await fetch(url);
      const policy = headers.get('content-security-policy')?.split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
          'media-src blob: data:',
        ]),
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('let the frame for diagrams write styles, but call nobody and be framed by the page alone', async () => {
      const { headers } = await fetch(`${url}/diagrams/index.html`);
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
      ]);
      expect((await fetch(url)).headers.get('content-security-policy')).not.toContain('unsafe-inline');
    });

    it('let the worker of the engine compile WebAssembly and make workers, and the page not', async () => {
      const policyOf = async (path: string) => (await fetch(url + path)).headers.get('content-security-policy');
      expect(await policyOf('/paddock/engine-worker.js')).toBe(
        "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self' blob:",
      );
      expect(await policyOf('/')).not.toContain('wasm-unsafe-eval');
    });

    it('let the worker for an MCP server call the one origin that its address names', async () => {
      const policyOf = async (query: string) =>
        (await fetch(`${url}/mcp/worker.js${query}`)).headers.get('content-security-policy');
      expect(await policyOf('?connect=https%3A%2F%2Fmcp.example')).toBe(
        "default-src 'none'; connect-src https://mcp.example",
      );
      expect(await policyOf('?connect=*')).toBe("default-src 'none'; connect-src 'none'");
      expect(await policyOf('')).toBe("default-src 'none'; connect-src 'none'");
    });

    it('are not sent again to a client that already has them', async () => {
      const first = await fetch(url);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{22}-(?:br|gzip)"$/);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      for (const known of [etag, `"other", W/${etag}`]) {
        const again = await fetch(url, { headers: { 'if-none-match': known } });
        expect(again.status).toBe(304);
        expect(await again.text()).toBe('');
        expect(again.headers.get('etag')).toBe(etag);
      }
      expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
      expect((await fetch(`${url}/assets/chat.js`)).headers.get('etag')).not.toBe(etag);
    });

    it.each([
      ['br, gzip', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
    ])('are compressed for a client that takes %s', async (accepted, encoding, decompress) => {
      for (const path of ['/', '/assets/chat.js', '/assets/engine.wasm']) {
        const whole = await get(path, {});
        const small = await get(path, { 'accept-encoding': accepted });
        expect(small.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
        expect(whole.headers).not.toHaveProperty('content-encoding');
        expect(whole.headers.vary).toBe('accept-encoding');
        expect(decompress(small.body)).toEqual(whole.body);
        expect(small.headers['content-length']).toBe(String(small.body.length));
        expect(small.headers.etag).not.toBe(whole.headers.etag);
        const { etag = '' } = small.headers;
        expect((await get(path, { 'accept-encoding': accepted, 'if-none-match': etag })).status).toBe(304);
        expect((await get(path, { 'if-none-match': etag })).status).toBe(200);
      }
    });

    it('are sent as they are if they would hardly shrink, as the weights of models', async () => {
      const { headers } = await get('/assets/pico.gguf', { 'accept-encoding': 'br, gzip' });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers).not.toHaveProperty('vary');
    });

    it('are read again after they could not be read', async () => {
      const path = join(folder, 'web', 'late.js');
      const files = openStaticFiles(new Map([['late.js', path]]));
      const status = async () =>
        (await files.reply({ method: 'GET', path: '/late.js', query: '', headers: {}, bytes: 0 })).status;
      expect(await status()).toBe(404);
      await writeFile(path, 'run()');
      expect(await status()).toBe(200);
    });

    it('answer HEAD with the headers only', async () => {
      const response = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-length')).toBe(String(PAGE.length));
      expect(await response.text()).toBe('');
    });

    it('leave the paths of the API, other methods and unknown names to the API', async () => {
      for (const path of ['/health', '/v1/models', '/openapi.json', '/nothing.js', '/assets', '/assets/']) {
        expect(await (await fetch(url + path)).text()).toBe(`the API: GET ${path}`);
      }
      expect(await (await fetch(url, { method: 'POST', body: 'x' })).text()).toBe('the API: POST /');
    });

    it('never include files outside of their folder', async () => {
      for (const path of [
        '/../secret.txt',
        '/..%2fsecret.txt',
        '/assets/../../secret.txt',
        '/%2e%2e/secret.txt',
        '//secret.txt',
      ]) {
        const reply = await statusOf(path);
        expect(reply).not.toContain('not to be served');
        expect(reply).toMatch(/^HTTP\/1\.1 4/);
      }
    });

    it('are a plain 404 that says so if they are not built, and the API still answers', async () => {
      const response = await fetch(`http://${HOST}:${bare.port}/`);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await response.text()).toMatch(/not built.*npm run build/);
      expect(await (await fetch(`http://${HOST}:${bare.port}/v1/models`)).text()).toBe('the API: GET /v1/models');
    });
  });
});
